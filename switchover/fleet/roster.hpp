// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// The machines that this server expects to hear, by configuration. Nobody else is listened to, so
/// memory is bounded by it.
namespace twinsite::switchover::fleet {

struct AgentPlan {
    std::string site;
    std::string name;
    std::string kind;  ///< interface, processing, database, other
};

struct MonitorPlan {
    std::string site;
    std::string name;
};

struct Roster {
    std::vector<AgentPlan> agents;
    std::vector<MonitorPlan> monitors;
    /// Charging results of other services are dropped; nullopt: of none.
    std::optional<std::vector<std::string>> services{};
};

}  // namespace twinsite::switchover::fleet
