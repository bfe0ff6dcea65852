// SPDX-License-Identifier: Apache-2.0
#include "base/http/event_stream.hpp"

#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/http/event_writer.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kKeepPeriod{15};
constexpr std::string_view kKeep = ": keep\n\n";
constexpr std::string_view kHeader =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";

std::string_view first_line(std::string_view text) {
    return text.substr(0, text.find_first_of(std::string_view("\r\n\0", 3)));
}

void add_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\n");
}

/// One field a line: the client puts them together again. "\r\n" and "\r" are line ends as well.
void add_data(std::string& out, std::string_view data) {
    for (;;) {
        const auto end = data.find_first_of("\r\n");
        add_field(out, "data", data.substr(0, end));
        if (end == std::string_view::npos) return;
        const bool pair = data[end] == '\r' && data.substr(end + 1).starts_with('\n');
        data.remove_prefix(end + (pair ? 2 : 1));
    }
}

std::string format(std::string_view event, std::string_view id, std::string_view data) {
    std::string out;
    out.reserve(data.size() + event.size() + id.size() + 32);
    if (!event.empty()) add_field(out, "event", first_line(event));
    if (!id.empty()) add_field(out, "id", first_line(id));
    add_data(out, data);
    return out + "\n";
}

}  // namespace

bool EventStream::send(std::string_view event, std::string_view id, std::string_view data) {
    if (!open_) return false;
    const auto text = format(event, id, data);
    if (unsent_.size() + in_flight_ + text.size() > kUnsentBytes) {
        open_ = false;
        ended_by_peer_ = true;
        unsent_.clear();
        if (cut_) cut_();
        return false;
    }
    unsent_ += text;
    if (wake_) wake_();
    return true;
}

void EventStream::close() {
    if (!open_) return;
    open_ = false;
    gone_ = nullptr;
    if (wake_) wake_();
}

void EventStream::on_gone(std::function<void()> gone) {
    if (over_ && ended_by_peer_)
        gone();
    else
        gone_ = std::move(gone);
}

void EventStream::end(bool tell) {
    if (over_) return;
    over_ = true;
    ended_by_peer_ = tell && (open_ || ended_by_peer_);
    open_ = false;
    wake_ = nullptr;
    cut_ = nullptr;
    unsent_.clear();
    const auto gone = std::exchange(gone_, nullptr);
    if (ended_by_peer_ && gone) gone();
}

EventWriter::~EventWriter() {
    events_->wake_ = nullptr;
}

asio::awaitable<Result<void>> EventWriter::run() {
    events_->unsent_.insert(0, kHeader);
    for (;;) {
        if (events_->unsent_.empty()) {
            if (!events_->open_) co_return Result<void>();
            co_await wait();
        }
        auto written = co_await write();
        if (!written) co_return written;
    }
}

/// Until there is something to write: an event, or the comment that keeps the connection alive.
asio::awaitable<Result<void>> EventWriter::wait() {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, kKeepPeriod);
    events_->wake_ = [&timer] { timer.cancel(); };
    const auto [failure] = co_await timer.async_wait(async::as_result);
    events_->wake_ = nullptr;
    if (!failure && events_->unsent_.empty() && events_->open_) events_->unsent_ = kKeep;
    co_return Result<void>();
}

asio::awaitable<Result<void>> EventWriter::write() {
    const auto text = std::exchange(events_->unsent_, std::string());
    if (text.empty()) co_return Result<void>();
    events_->in_flight_ = text.size();
    const auto sent = co_await async::with_deadline(stream_.write_all(text), limit_);
    events_->in_flight_ = 0;
    if (!sent) co_return sent.error();
    co_return Result<void>();
}

}  // namespace twinsite::base::http
