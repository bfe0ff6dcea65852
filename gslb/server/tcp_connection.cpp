// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_connection.hpp"

#include <algorithm>
#include <cstring>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include "base/net/asio.hpp"
#include "gslb/answer/answer.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::server {

namespace {

namespace asio = boost::asio;

/// Room for some dozens of pipelined queries; grows for a longer query.
constexpr std::size_t kInputBytes = 4096;
constexpr std::size_t kLengthBytes = 2;
/// Replies gathered before they are written, even if more queries wait: bounds the memory that a
/// client which never reads can hold.
constexpr std::size_t kOutputBytes = 128 * 1024;
/// A connection that once had a large reply does not keep its space.
constexpr std::size_t kKeptOutputBytes = 16 * 1024;

}  // namespace

TcpConnection::TcpConnection(asio::ip::tcp::socket socket, TcpShared& shared)
    : shared_(shared),
      socket_(std::move(socket)),
      last_progress_(Clock::now()),
      input_(kInputBytes) {
    boost::system::error_code error;
    const auto remote = socket_.remote_endpoint(error);
    if (!error) peer_ = base::net::from_asio(remote.address());
}

void TcpConnection::start(TcpConnections::iterator place) {
    place_ = place;
    listed_ = true;
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    read();
}

void TcpConnection::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    if (!listed_) return;
    listed_ = false;
    shared_.connections.erase(place_);
}

void TcpConnection::finish() {
    if (finishing_) return;
    finishing_ = true;
    if (writing_) return;
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void TcpConnection::progress() {
    last_progress_ = Clock::now();
    if (listed_) shared_.connections.splice(shared_.connections.end(), shared_.connections, place_);
}

void TcpConnection::read() {
    socket_.async_read_some(
        asio::buffer(input_.data() + end_, input_.size() - end_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
            self->on_read(error, size);
        }
    );
}

void TcpConnection::on_read(const boost::system::error_code& error, std::size_t size) {
    if (!listed_) return;
    end_ += size;
    if (error && !(finishing_ && error == asio::error::operation_aborted)) return close();
    go_on();
}

void TcpConnection::go_on() {
    do {
        if (!answer_queries()) return close();
        if (!output_.empty()) return write();
    } while (finishing_ && read_rest());
    if (finishing_) return close();
    read();
}

bool TcpConnection::read_rest() {
    boost::system::error_code nothing_more;
    const std::size_t size =
        socket_.read_some(asio::buffer(input_.data() + end_, input_.size() - end_), nothing_more);
    end_ += size;
    return size > 0;
}

bool TcpConnection::answer_queries() {
    std::size_t answered = 0;
    bool sound = true;
    while (sound && end_ - begin_ >= kLengthBytes && output_.size() < kOutputBytes) {
        const std::size_t size = std::size_t{input_[begin_]} << 8 | input_[begin_ + 1];
        if (size < wire::dns::kHeaderBytes) {
            shared_.counters.tcp_bad_length.add();
            sound = false;
        } else if (end_ - begin_ - kLengthBytes < size) {
            break;
        } else {
            sound = answer_one({input_.data() + begin_ + kLengthBytes, size});
            begin_ += kLengthBytes + size;
            ++answered;
        }
    }
    if (answered > 0) {
        shared_.reader.leave();
        progress();
    }
    make_room();
    // Replies to the sound queries before a broken one are not owed.
    return sound;
}

void TcpConnection::make_room() {
    // The unfinished query moves to the front, so that its rest has room behind it.
    if (begin_ > 0) {
        std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    // Grows with what has come, not with what a length promises: memory costs the client bytes.
    if (end_ == input_.size()) input_.resize(input_.size() * 2);
    if (end_ == 0 && input_.size() > kInputBytes) input_ = std::vector<std::uint8_t>(kInputBytes);
}

bool TcpConnection::answer_one(std::span<const std::uint8_t> query) {
    const answer::Context context{
        peer_,
        answer::Transport::tcp,
        shared_.limits.udp_payload_bytes,
        shared_.random,
        shared_.counters.answers
    };
    const std::size_t size = answer::answer(context, shared_.reader.enter(), query, shared_.reply);
    // Not a query: whoever sends that does not speak DNS with us.
    if (size == 0) return false;
    output_.push_back(static_cast<std::uint8_t>(size >> 8));
    output_.push_back(static_cast<std::uint8_t>(size));
    const auto begin = shared_.reply.begin();
    output_.insert(output_.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    return true;
}

void TcpConnection::write() {
    writing_ = true;
    asio::async_write(
        socket_,
        asio::buffer(output_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
            self->on_written(error);
        }
    );
}

void TcpConnection::on_written(const boost::system::error_code& error) {
    writing_ = false;
    if (!listed_) return;
    if (error) return close();
    output_.clear();
    if (output_.capacity() > kKeptOutputBytes) output_.shrink_to_fit();
    progress();
    go_on();
}

}  // namespace twinsite::gslb::server
