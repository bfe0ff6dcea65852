// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/command_poll.hpp"

#include <algorithm>
#include <utility>

#include "base/async/deadline.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::report {
namespace {

namespace asio = boost::asio;
namespace http = base::http;
using std::chrono::milliseconds;

// Longer than a server takes to answer a poll that brought nothing.
constexpr milliseconds kSlack{10'000};
// Most results are there a moment later; what takes long is asked about ever more rarely.
constexpr milliseconds kShortestRest{100};
constexpr milliseconds kLongestRest{2'000};
// A server that answers "nothing" at once must not be asked in a tight circle.
constexpr milliseconds kShortestPoll{200};
// Nor one that has always something new.
constexpr milliseconds kShortestNews{50};

}  // namespace

CommandPoll::CommandPoll(
    const asio::any_io_executor& executor,
    http::Target target,
    Clocks clocks,
    OnCommands on_commands,
    base::async::Backoff::Random random
)
    : connection_(executor, std::move(target)),
      clocks_(std::move(clocks)),
      on_commands_(std::move(on_commands)),
      backoff_(milliseconds(500), milliseconds(15'000), std::move(random)),
      rest_(kShortestRest) {}

asio::awaitable<void> CommandPoll::run() {
    for (;;) {
        http::Request request;
        request.target = "/agent/v1/commands?wait=" + std::to_string(kWait.count());
        const auto before = clocks_.monotonic();
        const auto answer = co_await connection_.send(
            std::move(request), kWait + kSlack, wire::contract::kMaxBodyBytes
        );
        const auto rest = take(answer, clocks_.monotonic() - before);
        if (rest > milliseconds(0)) co_await base::async::sleep_for(rest);
    }
}

milliseconds CommandPoll::take(const base::Result<http::Response>& answer, milliseconds took) {
    up_ = answer && (answer->status == 200 || answer->status == 204);
    if (!up_) return backoff_.next();
    if (answer->status == 204) {
        backoff_.reset();
        rest_ = kShortestRest;
        return kShortestPoll - took;
    }
    auto commands = wire::contract::decode_commands(answer->body);
    if (!commands) {
        up_ = false;
        return backoff_.next();
    }
    backoff_.reset();
    if (on_commands_(std::move(*commands))) {
        rest_ = kShortestRest;
        return kShortestNews - took;
    }
    return std::exchange(rest_, std::min(2 * rest_, kLongestRest));
}

}  // namespace twinsite::monitor::report
