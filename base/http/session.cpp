// SPDX-License-Identifier: Apache-2.0
#include "base/http/session.hpp"

#include <span>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/race.hpp"
#include "base/async/token.hpp"
#include "base/http/event_writer.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;
using async::as_result;
using Clock = std::chrono::steady_clock;

namespace {

/// Until the client closes.
awaitable<Result<void>> drop_input(Session& session) {
    const std::span<char> into(session.buffer);
    for (;;) {
        const auto size = co_await session.stream->read_some(into);
        if (!size) co_return size.error();
    }
}

/// While its answer is awaited: takes the client's next request if it sends one early, and notices
/// when it closes. Comes back with a failure, or when a whole request is here.
awaitable<Result<void>> watch_input(Session& session, RequestReader& reader) {
    auto fed = reader.resume();
    while (fed && !reader.done()) fed = co_await read_more(session, reader);
    co_return fed;
}

/// An error when `timer` is cancelled before its end.
awaitable<Result<void>> wait_for(asio::steady_timer& timer) {
    const auto [failure] = co_await timer.async_wait(as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

/// What a session waits for, as long as it does. Also a coroutine that is destroyed gives it up.
class Waiting {
public:
    Waiting(Session& session, std::shared_ptr<PendingAnswer> pending, asio::steady_timer& timer)
        : session_(session), pending_(std::move(pending)) {
        session_.pending = pending_;
        pending_->set_wake([&timer] { timer.cancel(); });
    }
    ~Waiting() {
        session_.pending.reset();
        pending_->set_wake({});
        pending_->end(true);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    Session& session_;
    const std::shared_ptr<PendingAnswer> pending_;
};

}  // namespace

/// The same for a stream of events.
class EventSession {
public:
    EventSession(Session& session, std::shared_ptr<EventStream> events, std::function<void()> cut)
        : session_(session), events_(std::move(events)) {
        session_.events = events_;
        events_->cut_ = std::move(cut);
    }
    ~EventSession() {
        session_.events.reset();
        EventWriter::end(*events_, true);
    }
    EventSession(const EventSession&) = delete;
    EventSession& operator=(const EventSession&) = delete;

private:
    Session& session_;
    const std::shared_ptr<EventStream> events_;
};

awaitable<Result<void>> read_more(Session& session, RequestReader& reader) {
    const std::span<char> into(session.buffer);
    const auto size = co_await session.stream->read_some(into);
    if (!size) co_return size.error();
    co_return reader.feed(std::string_view(session.buffer.data(), *size));
}

awaitable<Result<void>> read_rest(Session& session, RequestReader& reader) {
    while (!reader.done()) {
        if (reader.take_expectation()) {
            const auto sent = co_await session.stream->write_all("HTTP/1.1 100 Continue\r\n\r\n");
            if (!sent) co_return sent.error();
        }
        auto more = co_await read_more(session, reader);
        if (!more) co_return more.error();
    }
    co_return Result<void>();
}

awaitable<Result<void>> say_goodbye(Session& session) {
    auto ended = co_await session.stream->shut_down();
    if (!ended) co_return ended.error();
    auto dropped = co_await drop_input(session);
    co_return dropped;
}

Response given_up(std::string_view why) {
    return problem(503, "No answer", why);
}

awaitable<std::optional<Response>> await_answer(
    Session& session,
    RequestReader& reader,
    std::shared_ptr<PendingAnswer> pending,
    std::chrono::milliseconds limit
) {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, limit);
    const Waiting waiting(session, pending, timer);
    if (!pending->answered()) {
        const auto raced = co_await async::race(watch_input(session, reader), wait_for(timer));
        const bool gone = raced.first.has_error() && raced.second.has_error();
        if (gone && !pending->answered()) co_return std::nullopt;
    }
    // The client has sent its next request already, and more it may not.
    if (!pending->answered() && timer.expiry() > Clock::now()) co_await wait_for(timer);
    pending->give_up(given_up("The answer did not come in time."));
    co_return pending->take();
}

awaitable<void> carry_events(
    Session& session,
    std::shared_ptr<EventStream> events,
    std::chrono::milliseconds limit,
    std::function<void()> cut
) {
    const EventSession carrying(session, events, std::move(cut));
    EventWriter writer(*session.stream, std::move(events), limit);
    co_await async::race(drop_input(session), writer.run());
}

}  // namespace twinsite::base::http
