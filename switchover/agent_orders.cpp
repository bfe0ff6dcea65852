// SPDX-License-Identifier: Apache-2.0
#include "switchover/agent_orders.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace twinsite::switchover {
namespace {

using fleet::Commands;
using wire::contract::CommandResult;

const char* why_not(Commands::Submitted submitted) {
    switch (submitted) {
        case Commands::Submitted::unknown_agent:
            return "unknown_agent: not in the configuration";
        case Commands::Submitted::full:
            return "full: too many commands wait for this agent";
        case Commands::Submitted::not_signed:
            return "unsigned: the signing key does not work";
        case Commands::Submitted::queued:
        case Commands::Submitted::known:
            break;
    }
    return nullptr;
}

}  // namespace

AgentOrders::AgentOrders(boost::asio::any_io_executor thread, Seams seams)
    : thread_(std::move(thread)), seams_(std::move(seams)) {}

void AgentOrders::take(const CommandResult& result) {
    const auto found = waiting_.find(result.op_id);
    if (found == waiting_.end()) return;
    // Later: a known result comes from inside `order`.
    boost::asio::post(thread_, [on_result = found->second, result] { on_result(result); });
    using wire::contract::CommandState;
    const bool goes_on =
        result.state == CommandState::accepted || result.state == CommandState::running;
    if (!goes_on) waiting_.erase(found);
}

void AgentOrders::order(Order order, OnResult on_result) {
    waiting_[order.op_id] = std::move(on_result);
    wire::contract::Command command;
    command.op_id = order.op_id;
    command.agent = order.host;
    command.action = std::move(order.action);
    command.params = std::move(order.parameters);
    command.fence = seams_.fence();
    command.issued_wall_ms = static_cast<std::uint64_t>(seams_.wall_ms());
    command.valid_for_ms = static_cast<std::uint64_t>(order.valid_for.count());
    const auto submitted = commands_->submit(std::move(command), seams_.now());
    const auto* why = why_not(submitted);
    if (why == nullptr) return;
    CommandResult refused;
    refused.op_id = order.op_id;
    refused.agent = order.host;
    refused.state = wire::contract::CommandState::refused;
    refused.reason = why;
    take(refused);
}

void AgentOrders::forget(const std::string& op_id) {
    waiting_.erase(op_id);
    commands_->forget(op_id);
}

}  // namespace twinsite::switchover
