// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <memory>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/token.hpp"
#include "switchover/execute/hands.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
using scenario::Event;
using wire::contract::CommandResult;
using wire::contract::CommandState;

namespace {

/// Results on their way from the fleet to the coroutine.
struct Inbox {
    explicit Inbox(const asio::any_io_executor& thread)
        : arrived(thread, asio::steady_timer::time_point::max()) {}
    std::deque<CommandResult> results;
    asio::steady_timer arrived;
};

AgentCommands::Order make_order(const scenario::Effect& effect) {
    AgentCommands::Order out;
    out.op_id = effect.op_id;
    out.parameters = effect.action.parameters;
    out.action = out.parameters["action"];
    out.host = effect.target.empty() ? out.parameters["host"] : effect.target;
    out.parameters.erase("action");
    out.parameters.erase("host");
    out.valid_for = effect.limit;
    return out;
}

std::string describe(const CommandResult& result) {
    if (result.state == CommandState::done && result.rc != 0)
        return "exit " + std::to_string(result.rc) +
               (result.output.empty() ? "" : ": " + result.output);
    return result.reason.empty() ? result.output : result.reason;
}

Finished judge(const CommandResult& result) {
    const auto text = describe(result);
    if (result.state == CommandState::lost)
        return {Event::Outcome::unknown, text.empty() ? "the agent ended meanwhile" : text};
    if (result.state == CommandState::done && result.rc == 0) return done(text);
    return failed(text);
}

}  // namespace

/// There is no time-out here: whether the agent did it is not known then, so only the machine may
/// decide, which asks again by the same id.
asio::awaitable<Finished> run_on_agent(Hands hands, scenario::Effect effect, Progress progress) {
    const auto thread = co_await asio::this_coro::executor;
    const auto inbox = std::make_shared<Inbox>(thread);
    hands.seams.agents->order(make_order(effect), [inbox](CommandResult result) {
        inbox->results.push_back(std::move(result));
        inbox->arrived.cancel();
    });
    std::string shown;
    for (;;) {
        while (!inbox->results.empty()) {
            const auto result = std::move(inbox->results.front());
            inbox->results.pop_front();
            if (is_final(result.state)) co_return judge(result);
            if (result.state == CommandState::never_seen) continue;
            const auto text = std::string(to_string(result.state));
            if (text != shown) progress(shown = text);
        }
        const auto [ended] = co_await inbox->arrived.async_wait(base::async::as_result);
        static_cast<void>(ended);
    }
}

}  // namespace twinsite::switchover::execute
