// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "base/http/message.hpp"
#include "switchover/execute/member.hpp"
#include "switchover/scenario/expression.hpp"
#include "switchover/store/intent.hpp"
#include "wire/contract/command.hpp"

/// What the executor needs of others, so that it can be tested without them.
namespace twinsite::switchover::execute {

/// Sends a request to the control API of a member. Outlives the executor.
class Caller {
public:
    virtual ~Caller() = default;
    /// Over within `limit`. Any status is a value. Can be cancelled. Calls to one member may
    /// overlap.
    virtual boost::asio::awaitable<base::Result<base::http::Response>> call(
        const Member& member, base::http::Request request, std::chrono::milliseconds limit
    ) = 0;
};

/// Hands commands to agents, by any way (fleet). Outlives the executor.
class AgentCommands {
public:
    struct Order {
        std::string op_id;
        std::string host;  ///< "west/if2"
        std::string action;
        std::map<std::string, std::string> parameters;
        std::chrono::milliseconds valid_for{0};
    };
    using OnResult = std::function<void(wire::contract::CommandResult)>;

    virtual ~AgentCommands() = default;
    /// Queues the command for its host; the same op_id again asks for the result of the first.
    /// `on_result` is called on the executor's thread for every result, `accepted` and `running`
    /// included, until `forget`.
    virtual void order(Order order, OnResult on_result) = 0;
    /// No result of it is wanted any more, and it is not handed out again.
    virtual void forget(const std::string& op_id) = 0;
};

struct Seams {
    /// The fence while we lead, else nullopt: then members are asked, but told nothing.
    std::function<std::optional<wire::contract::Fence>()> fence;
    /// All wanted states. An error: nobody is told anything until it can be read.
    std::function<base::Result<std::vector<store::WantedState>>()> wanted;
    /// Writes one wanted state. `in` and `active` remove it.
    std::function<base::Result<void>(const store::WantedState&)> want;
    /// The value of a fact that the judge or the configuration knows ("site.state(east)");
    /// nullopt: not known now.
    std::function<std::optional<std::string>(const scenario::Expression&)> fact;
    /// A message for people, as a line in the log and wherever else notes go.
    std::function<void(const std::string& text)> notify;
    /// A member has seen a higher fence than ours: somebody else leads.
    std::function<void(const Member&, const wire::contract::Fence& highest)> outranked;
    /// A member's view changed or was renewed, for the judge. After each question, answered or not.
    std::function<void(const MemberView&)> seen;
    std::function<std::int64_t()> wall_ms;  ///< Unix time.
    Caller* caller = nullptr;
    AgentCommands* agents = nullptr;
};

}  // namespace twinsite::switchover::execute
