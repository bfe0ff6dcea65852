// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/uplink.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log/log.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::report {
namespace {

namespace asio = boost::asio;
namespace http = base::http;
namespace log = base::log;
using base::Result;
using log::Level;
using std::chrono::milliseconds;
using wire::contract::CommandResult;

constexpr milliseconds kForever = std::chrono::hours(1);
constexpr milliseconds kRetryMin{500};
constexpr milliseconds kRetryMax{15'000};
constexpr std::uint64_t kAnswerBytes = 64 * 1024;
constexpr std::size_t kMaxResults = 500;
constexpr std::int64_t kSkewWarnMs = 2'000;
// Small, so that the next report does not wait long behind it. One byte of output may become six of
// JSON: a single result stays below the server's 1 MiB also when it is larger than this.
constexpr std::size_t kBodyBytes = 64 * 1024;
constexpr std::size_t kEscapedBytes = 6;

milliseconds request_limit(milliseconds interval) {
    return std::clamp<milliseconds>(interval, milliseconds(2'000), milliseconds(10'000));
}

/// The server understood and will say the same next time.
bool never_takes(unsigned status) {
    return status == 400 || status == 413 || status == 422;
}

std::size_t room_for(const CommandResult& result) {
    return 2048 + kEscapedBytes * (result.output.size() + result.reason.size());
}

}  // namespace

Uplink::Uplink(
    const asio::any_io_executor& executor,
    Settings settings,
    Outbox& outbox,
    Dress dress,
    base::async::Backoff::Random random
)
    : settings_(std::move(settings)),
      outbox_(outbox),
      dress_(std::move(dress)),
      connection_(executor, settings_.target),
      signal_(executor),
      backoff_(
          kRetryMin,
          std::clamp<milliseconds>(3 * settings_.interval, kRetryMin, kRetryMax),
          std::move(random)
      ) {
    state_.server = outbox_.servers().at(settings_.server);
}

asio::awaitable<void> Uplink::run() {
    for (;;) {
        const auto rest = pause();
        if (rest > milliseconds(0)) co_await signal_.wait(rest);
        // A new report does not shorten the wait after a failure.
        if (outbox_.clocks().monotonic() >= retry_at_) co_await turn();
    }
}

Uplink::Time Uplink::pause() const {
    const auto now = outbox_.clocks().monotonic();
    if (now < retry_at_) return retry_at_ - now;
    if (!results_.empty()) return milliseconds(0);
    const auto next = outbox_.next(settings_.server);
    if (!next) return kForever;
    if (next->live || now >= backlog_at_) return milliseconds(0);
    return backlog_at_ - now;
}

asio::awaitable<void> Uplink::turn() {
    const auto next = outbox_.next(settings_.server);
    const bool live = next && next->live;
    if (live) {
        const bool answered = co_await send_entry();
        // A server that refuses the report may still take the results.
        if (!answered) co_return;
    }
    if (!results_.empty()) {
        co_await send_results();
        if (!state_.up) co_return;
    }
    if (!live) co_await send_entry();
}

void Uplink::send_result(CommandResult result) {
    const auto same = std::find_if(results_.begin(), results_.end(), [&](const Waiting& waiting) {
        return waiting.result.op_id == result.op_id && waiting.result.agent == result.agent;
    });
    ++version_;
    if (same != results_.end())
        *same = {std::move(result), version_};
    else
        results_.push_back({std::move(result), version_});
    // The journal still has what goes here; the server asks again by sending the command again.
    if (results_.size() > kMaxResults) results_.erase(results_.begin());
    signal_.raise();
}

asio::awaitable<void> Uplink::send_results() {
    std::vector<CommandResult> sent;
    std::vector<std::uint64_t> versions;
    std::size_t bytes = 0;
    for (const auto& waiting : results_) {
        bytes += room_for(waiting.result);
        if (!sent.empty() && bytes > kBodyBytes) break;
        sent.push_back(waiting.result);
        versions.push_back(waiting.version);
    }
    const auto answer = co_await post("/agent/v1/results", wire::contract::encode_results(sent));
    if (!answer) co_return failed(answer.error().message());
    const auto status = answer->status;
    if (status >= 300 && !never_takes(status))
        co_return failed("answered " + std::to_string(status));
    if (never_takes(status)) {
        ++state_.refused;
        log::event(
            Level::warning, "results_refused", {{"server", state_.server}, {"status", status}}
        );
    }
    std::erase_if(results_, [&](const Waiting& waiting) {
        return std::find(versions.begin(), versions.end(), waiting.version) != versions.end();
    });
    succeeded();
}

asio::awaitable<bool> Uplink::send_entry() {
    const auto next = outbox_.next(settings_.server);
    if (!next) co_return true;
    const auto started = outbox_.clocks().monotonic();
    if (!next->live && started < backlog_at_) co_return true;
    const auto id = next->entry->id;
    const auto live = next->live;
    auto body = dress_(*next->entry, live, settings_.server);
    const auto before = outbox_.clocks().wall_ms();
    const auto answer = co_await post(settings_.path, std::move(body));
    const auto ended = outbox_.clocks().monotonic();
    if (!live) backlog_at_ = ended + std::max(settings_.interval / 10, 4 * (ended - started));
    if (!answer) {
        failed(answer.error().message());
        co_return false;
    }
    if (never_takes(answer->status)) {
        outbox_.acknowledge(settings_.server, id);
        ++state_.refused;
    }
    if (answer->status != 200) {
        failed("answered " + std::to_string(answer->status));
        co_return true;
    }
    outbox_.acknowledge(settings_.server, id);
    ++state_.sent;
    if (!live) ++state_.backfill;
    learn_skew(answer->body, before, outbox_.clocks().wall_ms());
    succeeded();
    co_return true;
}

asio::awaitable<Result<http::Response>> Uplink::post(std::string path, std::string body) {
    http::Request request;
    request.method = "POST";
    request.target = std::move(path);
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::move(body);
    return connection_.send(std::move(request), request_limit(settings_.interval), kAnswerBytes);
}

void Uplink::succeeded() {
    backoff_.reset();
    if (!state_.up) log::event(Level::info, "server_reached", {{"server", state_.server}});
    state_.up = true;
    state_.error.clear();
}

void Uplink::failed(std::string why) {
    ++state_.failed;
    retry_at_ = outbox_.clocks().monotonic() + backoff_.next();
    std::uint64_t held_back = 0;
    const bool news = state_.up || state_.error != why;
    if (news && refusals_.allow(log::Throttle::Time::clock::now(), held_back))
        log::event(
            Level::warning,
            "server_not_reached",
            {{"server", state_.server}, {"error", why}, {"held_back", held_back}}
        );
    state_.up = false;
    state_.error = std::move(why);
}

/// The answer was written between our two readings; half way is the best guess.
void Uplink::learn_skew(const std::string& body, std::uint64_t before_ms, std::uint64_t after_ms) {
    const auto ack = wire::contract::decode_ack(body);
    if (!ack || ack->server_wall_ms == 0 || after_ms < before_ms) return;
    const auto middle = before_ms + (after_ms - before_ms) / 2;
    state_.skew_ms = static_cast<std::int64_t>(ack->server_wall_ms - middle);
    const bool far = std::abs(state_.skew_ms) > kSkewWarnMs;
    if (far && !skew_warned_)
        log::event(
            Level::warning, "clock_skew", {{"server", state_.server}, {"skew_ms", state_.skew_ms}}
        );
    skew_warned_ = far;
}

}  // namespace twinsite::monitor::report
