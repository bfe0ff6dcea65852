// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "slb/proxy/socket.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::slb::proxy {

using wire::diameter::Errc;
using wire::diameter::Event;

namespace {

/// Reads of one link per turn: more would starve the others.
constexpr int kReadsPerTurn = 4;
constexpr std::chrono::milliseconds kCloseLimit{1'000};

}  // namespace

Link::~Link() {
    if (dirty_) std::erase(engine_.dirty, this);
}

void Link::attach(base::file::Descriptor socket, bool connecting) {
    socket_ = std::move(socket);
    connecting_ = connecting;
    blocked_ = paused_ = closing_ = fin_sent_ = false;
    ring_.clear();
    carry_.clear();
    engine_.poller.add(socket_.number(), *this);
    interest_ = {.read = true, .write = false};
    update_interest();
    if (connecting) return;
    const auto local = local_endpoint(socket_.number());
    step(Event::transport_up(local ? std::optional(local->address) : std::nullopt));
}

void Link::update_interest() {
    if (!socket_.is_open()) return;
    Ready wanted{.read = !connecting_ && !paused_, .write = connecting_ || blocked_};
    if (wanted.read == interest_.read && wanted.write == interest_.write) return;
    interest_ = wanted;
    engine_.poller.set_interest(socket_.number(), *this, wanted);
}

void Link::pause_reading(bool paused) {
    if (paused_ == paused || closing_) return;  // a closing link waits for the FIN
    paused_ = paused;
    update_interest();
}

void Link::on_ready(Ready ready) {
    if (!socket_.is_open()) return;
    if (connecting_) return finish_connecting();
    if (ready.write) {
        blocked_ = false;
        mark_dirty();
    }
    if (ready.read && !paused_) read();
}

void Link::finish_connecting() {
    if (const auto failure = connect_outcome(socket_.number())) {
        close_now();
        return step(Event::transport_failed());
    }
    connecting_ = false;
    update_interest();
    const auto local = local_endpoint(socket_.number());
    step(Event::transport_up(local ? std::optional(local->address) : std::nullopt));
}

// Reading ----------------------------------------------------------------------------------------

void Link::read() {
    bool more = true;
    for (int i = 0; i < kReadsPerTurn && more && socket_.is_open() && !paused_; ++i)
        if (!read_once(more)) return;
}

bool Link::read_once(bool& more) {
    auto* const input = engine_.input.get();
    const auto kept = carry_.size();
    std::copy(carry_.begin(), carry_.end(), input);
    const auto room = Engine::kInputBytes - kept;
    const auto got = ::recv(socket_.number(), input + kept, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) {
        const bool expected = closing_;
        close_now();
        if (!expected) step(Event::transport_lost());
        return false;
    }
    more = static_cast<std::size_t>(got) == room;
    if (closing_) return true;  // whatever comes now is not read any more
    if (peer_.heard(engine_.now)) on_recovered();
    const std::span<std::uint8_t> bytes(input, kept + static_cast<std::size_t>(got));
    const auto rest = bytes.subspan(consume(bytes));
    // A link that closed meanwhile may have called attach in vain; its rest is of no use.
    if (socket_.is_open() && !closing_) carry_.assign(rest.begin(), rest.end());
    return true;
}

std::size_t Link::consume(std::span<std::uint8_t> bytes) {
    std::array<Message, kBatch> batch;
    std::size_t at = 0;
    for (;;) {
        std::size_t count = 0;
        std::optional<Errc> fault;
        while (count < kBatch && bytes.size() - at >= 4) {
            fault =
                wire::diameter::check_frame(&bytes[at], wire::diameter::kDefaultMaxMessageBytes);
            if (fault) break;
            const auto length = wire::diameter::load_u24(&bytes[at] + 1);
            if (bytes.size() - at < length) break;
            batch[count++] = bytes.subspan(at, length);
            at += length;
        }
        if (count > 0) on_batch(std::span(batch).first(count));
        if (!socket_.is_open() || closing_) return bytes.size();
        if (fault) {
            step(Event::bad_stream(*fault, bytes.subspan(at)));
            return bytes.size();
        }
        if (count < kBatch) return at;
    }
}

// Writing ----------------------------------------------------------------------------------------

void Link::flush() {
    dirty_ = false;
    if (!socket_.is_open() || connecting_) return;
    if (blocked_) return on_flushed();  // what waits has grown all the same
    while (!ring_.empty()) {
        const auto bytes = ring_.waiting();
        const auto put = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) {
            blocked_ = true;
            break;
        }
        if (put < 0) {
            const bool expected = closing_;
            close_now();
            if (!expected) step(Event::transport_lost());
            return;
        }
        ring_.sent(static_cast<std::size_t>(put));
    }
    update_interest();
    on_flushed();
    if (closing_ && ring_.empty() && !fin_sent_) {
        fin_sent_ = true;
        ::shutdown(socket_.number(), SHUT_WR);
    }
}

// The peer ---------------------------------------------------------------------------------------

void Link::step(const Event& event) {
    peer_.step(event, engine_.now, actions_);
    const bool deliver = actions_.deliver;
    apply();
    if (!deliver) return;
    on_delivered(Message(const_cast<std::uint8_t*>(event.bytes.data()), event.bytes.size()));
}

void Link::apply() {
    // A callback may step again and so change `actions_`: what is used after one is copied first.
    const bool opened = actions_.opened;
    peer_restarted_ = actions_.peer_restarted;
    const bool recovered = actions_.recovered;
    const bool down = actions_.down;
    const bool dial = actions_.connect;
    // Pending requests move away before the DWR is queued, so that what was never sent can be
    // forgotten without it.
    if (actions_.suspected) on_suspected();
    if (actions_.peer_leaving) {
        on_leaving(actions_.send);
    } else if (!actions_.send.empty() && socket_.is_open()) {
        write(actions_.send);
    }
    if (opened) on_opened();
    if (recovered) on_recovered();
    if (down) {
        on_down();
        if (!keeps_transport()) close_gently();
    }
    if (dial) on_dial();
}

void Link::on_tick() {
    const auto& timer = peer_.timer();
    if (timer.armed && engine_.now >= timer.at) step(Event::timer(timer.generation));
    if (closing_ && socket_.is_open() && engine_.now >= close_by_) close_now();
}

void Link::stop(wire::diameter::DisconnectCause cause, std::chrono::milliseconds grace) {
    step(Event::stop(cause, grace));
}

void Link::close_gently() {
    if (!socket_.is_open() || closing_) return;
    if (connecting_) return close_now();
    closing_ = true;
    paused_ = false;
    close_by_ = engine_.now + kCloseLimit;
    update_interest();
    mark_dirty();
}

void Link::close_now() {
    if (!socket_.is_open()) return;
    engine_.poller.remove(socket_.number());
    socket_.close();
    ring_.clear();
    carry_.clear();
    connecting_ = closing_ = false;
}

}  // namespace twinsite::slb::proxy
