// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/link.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <boost/asio/error.hpp>

#include "base/async/deadline.hpp"
#include "base/async/race.hpp"
#include "base/async/token.hpp"

namespace twinsite::gslb::group {

namespace asio = boost::asio;
using asio::awaitable;
using base::Error;
using base::Result;
using wire::group::Frame;
using wire::group::Kind;

namespace {

bool is_gossip(Kind kind) {
    switch (kind) {
        case Kind::heartbeat:
        case Kind::digest:
        case Kind::observations:
        case Kind::loads:
        case Kind::decisions:
            return true;
        default:
            return false;
    }
}

}  // namespace

Link::Link(
    const asio::any_io_executor& executor, std::unique_ptr<base::http::Stream> stream, bool dialed
)
    : stream_(std::move(stream)), dialed_(dialed), wake_(executor) {}

void Link::send(Kind kind, std::string payload) {
    if (closed_) return;
    auto bytes = encode(Frame{version_, kind, std::move(payload)});
    queued_bytes_ += bytes.size();
    queue_.push_back({kind, std::move(bytes)});
    while (queued_bytes_ > kMostQueued_bytes)
        if (!make_room()) return close();
    wake_.cancel();
}

/// Drops the oldest gossip; false when there is none.
bool Link::make_room() {
    const auto oldest = std::find_if(queue_.begin(), queue_.end(), [](const Item& item) {
        return is_gossip(item.kind);
    });
    if (oldest == queue_.end()) return false;
    queued_bytes_ -= oldest->bytes.size();
    queue_.erase(oldest);
    ++dropped_;
    return true;
}

void Link::close() {
    closed_ = true;
    stream_->close();
    wake_.cancel();
}

awaitable<Result<Frame>> Link::next_frame() {
    std::array<char, 16 * 1024> buffer;
    const std::span<char> into(buffer);
    for (;;) {
        auto frame = reader_.next();
        if (!frame) co_return frame.error();
        if (*frame) co_return **std::move(frame);
        const auto size = co_await stream_->read_some(into);
        if (!size) co_return size.error();
        reader_.feed(std::string_view(buffer.data(), *size));
    }
}

awaitable<Result<Frame>> Link::first_frame(std::chrono::milliseconds limit) {
    auto frame = co_await base::async::with_deadline(next_frame(), limit);
    co_return frame;
}

awaitable<Result<void>> Link::read(std::function<bool(const Frame&)> on_frame) {
    while (!closed_) {
        const auto frame = co_await next_frame();
        if (!frame) co_return frame.error();
        if (!on_frame(*frame)) co_return Error(asio::error::connection_refused);
    }
    co_return Error(asio::error::operation_aborted);
}

awaitable<Result<void>> Link::write_queued() {
    while (!queue_.empty()) {
        const auto item = std::move(queue_.front());
        queue_.pop_front();
        queued_bytes_ -= item.bytes.size();
        const auto sent = co_await stream_->write_all(item.bytes);
        if (!sent) co_return sent.error();
    }
    co_return Result<void>();
}

awaitable<Result<void>> Link::flush(std::chrono::milliseconds limit) {
    auto sent = co_await base::async::with_deadline(write_queued(), limit);
    co_return sent;
}

awaitable<Result<void>> Link::write() {
    while (!closed_) {
        const auto sent = co_await write_queued();
        if (!sent) co_return sent.error();
        if (closed_) break;
        wake_.expires_at(asio::steady_timer::time_point::max());
        const auto [woken] = co_await wake_.async_wait(base::async::as_result);
        // Woken by `send`, or cancelled from outside: then this coroutine may not go on.
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none)
            co_return woken ? woken : Error(asio::error::operation_aborted);
    }
    co_return Error(asio::error::operation_aborted);
}

awaitable<Result<void>> Link::run(std::function<bool(const Frame&)> on_frame) {
    const auto ended = co_await base::async::race(read(std::move(on_frame)), write());
    if (!ended.first && ended.first.error() != asio::error::operation_aborted)
        co_return ended.first.error();
    co_return ended.second;
}

}  // namespace twinsite::gslb::group
