// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "switchover/execute/seams.hpp"
#include "switchover/fleet/commands.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::switchover {

/// Orders of runs to agents, by the fleet's commands. One thread.
class AgentOrders final : public execute::AgentCommands {
public:
    struct Seams {
        std::function<wire::contract::Fence()> fence;
        std::function<std::int64_t()> wall_ms;
        std::function<fleet::Time()> now;
    };
    AgentOrders(boost::asio::any_io_executor thread, Seams seams);

    /// Before the first order; `commands` outlives this.
    void use(fleet::Commands& commands) { commands_ = &commands; }
    /// For the fleet's commands: every result that comes in.
    void take(const wire::contract::CommandResult& result);

    void order(Order order, OnResult on_result) override;
    void forget(const std::string& op_id) override;

private:
    boost::asio::any_io_executor thread_;
    const Seams seams_;
    fleet::Commands* commands_ = nullptr;
    std::map<std::string, OnResult> waiting_;  ///< By op_id.
};

}  // namespace twinsite::switchover
