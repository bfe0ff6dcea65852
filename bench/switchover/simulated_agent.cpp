// SPDX-License-Identifier: Apache-2.0
#include "bench/switchover/simulated_agent.hpp"

#include <utility>

#include "base/async/deadline.hpp"
#include "bench/switchover/agents.hpp"
#include "bench/switchover/machine_report.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::bench {
namespace {

namespace asio = boost::asio;
namespace http = base::http;
using base::Result;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// As twinsite-monitor waits for an answer with an interval of 10 s.
constexpr milliseconds kReportLimit{10'000};
constexpr milliseconds kPollSlack{10'000};
constexpr milliseconds kPollRest{500};
constexpr std::uint64_t kAnswerBytes = 64 * 1024;

http::Target target_of(
    const SimulatedAgent::Settings& settings, const wire::contract::Identity& identity
) {
    auto out = http::Target::at_tcp(settings.server);
    http::TlsClient tls;
    tls.ca = settings.certificates + "/ca.crt";
    tls.server_name = base::text::to_string(settings.server.address);
    tls.certificate = settings.certificates + "/" + identity.name + ".crt";
    tls.key = settings.certificates + "/" + identity.name + ".key";
    tls.accept_identity = [](std::string_view uri) { return uri == to_uri(server_identity()); };
    out.tls = std::move(tls);
    return out;
}

/// Empty, or why it is not the acknowledgement of `seq`.
std::string refusal_of(const Result<http::Response>& answer, std::uint64_t seq) {
    if (!answer) return answer.error().message();
    if (answer->status != 200) return std::to_string(answer->status) + " " + answer->body;
    const auto ack = wire::contract::decode_ack(answer->body);
    if (!ack) return "no acknowledgement: " + ack.error().message();
    if (ack->accepted != seq) return "acknowledged " + std::to_string(ack->accepted);
    return {};
}

void note(Tally& tally, const std::string& who, const std::string& why) {
    if (tally.first_failure.empty()) tally.first_failure = who + ": " + why;
}

}  // namespace

SimulatedAgent::SimulatedAgent(
    const asio::any_io_executor& executor, const Settings& settings, std::size_t index, Tally& tally
)
    : identity_(agent_identity(index)),
      interval_ms_(static_cast<std::uint64_t>(settings.interval.count())),
      tally_(tally),
      reports_(executor, target_of(settings, identity_)),
      commands_(executor, target_of(settings, identity_)) {}

asio::awaitable<void> SimulatedAgent::report(std::size_t count, Time first, milliseconds period) {
    for (std::size_t number = 0; number < count; ++number) {
        const auto rest = first + number * period - steady_clock::now();
        if (rest > milliseconds(0)) co_await base::async::sleep_for(rest);
        co_await report_once();
    }
}

asio::awaitable<void> SimulatedAgent::report_once() {
    const auto seq = ++seq_;
    http::Request request;
    request.method = "POST";
    request.target = "/agent/v1/report";
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = encode_report(machine_report(identity_, seq, interval_ms_));
    ++tally_.sent;
    tally_.body_bytes += request.body.size();
    const auto before = steady_clock::now();
    const auto answer = co_await reports_.send(std::move(request), kReportLimit, kAnswerBytes);
    const auto took = steady_clock::now() - before;
    const auto why = refusal_of(answer, seq);
    if (!why.empty()) co_return note(tally_, identity_.name, why);
    ++tally_.acknowledged;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    tally_.latencies_us.push_back(static_cast<std::uint32_t>(us));
}

asio::awaitable<void> SimulatedAgent::poll(std::chrono::seconds first_wait) {
    for (auto wait = first_wait;; wait = kPollWait) {
        http::Request request;
        request.target = "/agent/v1/commands?wait=" + std::to_string(wait.count());
        const auto limit = wait + kPollSlack;
        const auto answer = co_await commands_.send(std::move(request), limit, kAnswerBytes);
        ++tally_.polls;
        // Nobody gives commands here: an answer other than "none" is a fault.
        if (answer && answer->status == 204) continue;
        ++tally_.failed_polls;
        note(tally_, identity_.name + " (poll)", refusal_of(answer, 0));
        co_await base::async::sleep_for(kPollRest);
    }
}

}  // namespace twinsite::bench
