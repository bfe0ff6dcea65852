// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "slb/control/blade_changes.hpp"
#include "slb/proxy/status.hpp"

namespace twinsite::slb::control {

/// Who this process is and which configuration it runs.
struct NodeStatus {
    std::string node;
    std::string host;
    std::string realm;
    std::string version;
    std::uint64_t snapshot = 0;  ///< counts the configurations taken since the start, from 1
    std::chrono::seconds uptime{0};
};

struct ReloadOutcome {
    std::uint64_t snapshot = 0;         ///< in force now
    std::vector<std::string> findings;  ///< not empty: nothing changed
};

/// What the control API needs of the running balancer. Main thread.
class Backend {
public:
    virtual ~Backend() = default;

    virtual NodeStatus node() = 0;
    virtual proxy::ShardStatus status() = 0;
    /// Blades of the configuration file.
    virtual const BladeChanges::Blades& configured() const = 0;
    virtual const BladeChanges& changes() const = 0;
    /// Saves and then uses `changes`; on an error nothing has changed.
    virtual base::Result<void> change(const BladeChanges& changes) = 0;
    virtual ReloadOutcome reload_now() = 0;
};

}  // namespace twinsite::slb::control
