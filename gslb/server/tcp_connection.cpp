// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include "gslb/answer/answer.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::server {

namespace {

constexpr std::size_t kLengthBytes = TcpShared::kLengthBytes;

/// Whether `input` begins with a whole message. Too short ones count: they are judged elsewhere.
bool has_message(std::span<const std::uint8_t> input) {
    return input.size() >= kLengthBytes &&
           input.size() - kLengthBytes >= wire::dns::load16(input.data());
}

}  // namespace

TcpConnection::TcpConnection(Socket socket, const base::net::Endpoint& peer, TcpShared& shared)
    : shared_(shared), peer_(peer), socket_(std::move(socket)), last_progress_(shared.now) {}

std::uint64_t TcpConnection::address_key(const base::text::IpAddress& address) {
    const bool v4 = address.family == base::text::Family::v4;
    return wire::dns::load64(address.bytes.data()) ^ (v4 ? 1U : 0U);
}

void TcpConnection::start(TcpConnections::iterator place) {
    place_ = place;
    if (shared_.tap)
        if (const auto local = local_endpoint(socket_)) local_ = *local;
    ++shared_.per_address[address_key(peer_.address)];
    serve({shared_.input.data(), gather()});
    if (open_ && waits_for_ == 0) wait_for(EPOLLIN);
}

void TcpConnection::close() {
    if (!open_) return;
    open_ = false;
    socket_.close();  // takes it from the poller too
    stream_.reset();
    const auto count = shared_.per_address.find(address_key(peer_.address));
    if (count != shared_.per_address.end() && --count->second == 0)
        shared_.per_address.erase(count);
    shared_.closed.splice(shared_.closed.end(), shared_.connections, place_);
}

void TcpConnection::progress() {
    last_progress_ = shared_.now;
    shared_.connections.splice(shared_.connections.end(), shared_.connections, place_);
}

void TcpConnection::wait_for(std::uint32_t events) {
    if (waits_for_ == events) return;
    epoll_event event{};
    event.events = events;
    event.data.ptr = this;
    const int action = waits_for_ == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (::epoll_ctl(shared_.poller, action, socket_.number(), &event) != 0) return close();
    waits_for_ = events;
}

void TcpConnection::on_event() {
    if (!open_) return;
    if (!reply_.empty()) {
        if (!flush_kept()) return;
        if (!serve(std::exchange(rest_, {}))) return;
    }
    serve({shared_.input.data(), gather()});
}

void TcpConnection::finish() {
    if (finishing_ || !open_) return;
    finishing_ = true;
    if (reply_.empty()) serve({shared_.input.data(), gather()});
}

std::size_t TcpConnection::gather() {
    const std::size_t kept = rest_.size();
    std::copy(rest_.begin(), rest_.end(), shared_.input.begin());
    rest_.clear();
    ssize_t got = 0;
    do {
        got = ::recv(
            socket_.number(), shared_.input.data() + kept, shared_.input.size() - kept, MSG_DONTWAIT
        );
    } while (got < 0 && errno == EINTR);
    if (got > 0) return kept + static_cast<std::size_t>(got);
    // The end of what the client says; what was whole has been answered.
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || finishing_) broken_ = true;
    return kept;
}

bool TcpConnection::serve(std::span<const std::uint8_t> input) {
    for (;;) {
        output_ = 0;
        if (stream_) continue_stream();
        if (!stream_ && !broken_) input = input.subspan(answer_queries(input));
        if (!open_) return false;
        if (output_ == 0) break;
        if (!flush()) {
            if (open_) rest_.assign(input.begin(), input.end());
            return false;
        }
        if (stream_ || has_message(input)) continue;
        if (!finishing_) break;
        rest_.assign(input.begin(), input.end());
        input = {shared_.input.data(), gather()};
    }
    if (broken_ || finishing_) {
        close();
        return false;
    }
    rest_.assign(input.begin(), input.end());
    if (waits_for_ != 0) wait_for(EPOLLIN);
    return true;
}

std::size_t TcpConnection::answer_queries(std::span<const std::uint8_t> input) {
    std::size_t at = 0;
    std::size_t answered = 0;
    while (!broken_ && !stream_ && output_ < TcpShared::kOutputBytes &&
           input.size() - at >= kLengthBytes) {
        const std::size_t size = wire::dns::load16(input.data() + at);
        if (size < wire::dns::kHeaderBytes) {
            shared_.counters.tcp_bad_length.add();
            broken_ = true;
        } else if (input.size() - at - kLengthBytes < size) {
            break;
        } else {
            answer_one(input.subspan(at + kLengthBytes, size));
            at += kLengthBytes + size;
            ++answered;
        }
    }
    if (answered > 0) {
        shared_.snapshots.leave();
        progress();
    }
    // Replies to the sound queries before a broken one are not owed.
    if (broken_) close();
    return at;
}

void TcpConnection::answer_one(std::span<const std::uint8_t> query) {
    const Rules& rules = *shared_.rules;
    const answer::Conduct& conduct = rules.conduct;
    answer::Outcome outcome;
    answer::Context context{
        peer_.address,
        answer::Transport::tcp,
        peer_.address.family == base::text::Family::v6 ? conduct.udp_payload_v6_bytes
                                                       : conduct.udp_payload_v4_bytes,
        shared_.random,
        shared_.counters.answers,
        &conduct,
        shared_.now_s,
        &outcome,
        rules.transfers != nullptr
    };
    const std::span<std::uint8_t> space(
        shared_.output.data() + output_ + kLengthBytes, TcpShared::kMessageBytes
    );
    std::size_t size = answer::answer(context, shared_.snapshots.enter(), query, space);
    if (outcome.handed_over) [[unlikely]] {
        if (!answer_transfer(query, space, context, size)) return;
    }
    if (shared_.ring.is_on()) log(query, outcome, size);
    if (shared_.tap) [[unlikely]]
        shared_.tap->copy(
            shared_.counters, peer_, local_, answer::Transport::tcp, query, space.first(size)
        );
    if (size == 0) {
        // Not a query: whoever sends that does not speak DNS with us.
        broken_ = true;
        return;
    }
    wire::dns::store16(shared_.output.data() + output_, static_cast<std::uint16_t>(size));
    output_ += kLengthBytes + size;
}

bool TcpConnection::answer_transfer(
    std::span<const std::uint8_t> query,
    std::span<std::uint8_t> space,
    answer::Context& context,
    std::size_t& size
) {
    context.hand_over = false;
    const auto ordinary = [&](std::span<const std::uint8_t> of, std::span<std::uint8_t> reply) {
        return answer::answer(context, shared_.snapshots.enter(), of, reply);
    };
    constexpr auto kTcp = TransferSeam::Transport::tcp;
    if (!is_for_transfer_seam(query, kTcp)) {
        size = ordinary(query, space);
        return true;
    }
    shared_.counters.transfers.add();
    stream_ = shared_.rules->transfers->handle({query, peer_, kTcp}, ordinary);
    if (!stream_) return true;
    continue_stream();
    return false;
}

void TcpConnection::log(
    std::span<const std::uint8_t> query, const answer::Outcome& outcome, std::size_t size
) {
    shared_.ring.add(
        peer_,
        answer::Transport::tcp,
        query,
        outcome,
        size,
        shared_.snapshots.enter().version(),
        shared_.now_s
    );
}

void TcpConnection::continue_stream() {
    while (output_ < TcpShared::kOutputBytes) {
        const std::size_t size =
            stream_->next({shared_.output.data() + output_ + kLengthBytes, TcpShared::kMessageBytes}
            );
        if (size == 0) {
            broken_ = broken_ || stream_->failed();
            stream_.reset();
            return;
        }
        wire::dns::store16(shared_.output.data() + output_, static_cast<std::uint16_t>(size));
        output_ += kLengthBytes + size;
    }
}

bool TcpConnection::flush() {
    ssize_t sent = 0;
    do {
        sent =
            ::send(socket_.number(), shared_.output.data(), output_, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
        close();
        return false;
    }
    const std::size_t taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    if (taken == output_) return true;
    reply_.assign(
        shared_.output.begin() + static_cast<std::ptrdiff_t>(taken),
        shared_.output.begin() + static_cast<std::ptrdiff_t>(output_)
    );
    written_ = 0;
    wait_for(EPOLLOUT);
    return false;
}

bool TcpConnection::flush_kept() {
    ssize_t sent = 0;
    do {
        sent = ::send(
            socket_.number(),
            reply_.data() + written_,
            reply_.size() - written_,
            MSG_NOSIGNAL | MSG_DONTWAIT
        );
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK) close();
        return false;
    }
    written_ += static_cast<std::size_t>(sent);
    if (written_ < reply_.size()) return false;
    reply_ = {};
    progress();
    return true;
}

}  // namespace twinsite::gslb::server
