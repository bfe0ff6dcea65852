// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "slb/control/blade_changes.hpp"
#include "slb/control/control_state.hpp"
#include "slb/control/gate.hpp"
#include "slb/control/releases.hpp"
#include "slb/proxy/release.hpp"
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

    // What switchover asks and orders.
    virtual ControlState& control() = 0;
    virtual RefusalCounts& refusals() = 0;
    virtual Releases& releases() = 0;
    /// How many clients it asks to leave.
    virtual std::size_t start_release(double per_second) = 0;
    virtual void stop_release() = 0;
    virtual proxy::ReleaseStatus release_status() = 0;
    virtual ControlState::Time now() const = 0;
};

}  // namespace twinsite::slb::control
