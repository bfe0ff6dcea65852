// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/control/explain.hpp"
#include "gslb/control/overrides.hpp"
#include "gslb/health/checker.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/zone/index.hpp"

namespace twinsite::gslb::control {

/// What a configuration, once loaded, gives to the helm. The parts are shared with snapshots.
struct Setup {
    std::string node;
    std::string site;
    std::shared_ptr<const steering::Steering> steering;
    std::shared_ptr<const steering::PrefixMap> prefixes;
    std::shared_ptr<const zone::Index> index;
};

/// How a target is known to the checks and in logs: "SERVICE/TARGET".
std::string target_id(std::string_view service, std::string_view target);

/// Where everything that moves answers comes together: the configuration in force, health, and
/// operators' overrides. Whenever one of them changes, it decides anew and publishes a snapshot.
/// No sockets and no clock of its own; one thread.
class Helm {
public:
    struct Seams {
        std::function<health::Health(std::string_view id)> health;
        std::function<std::vector<health::CheckView>(std::string_view id)> checks;
        std::function<void(std::shared_ptr<const answer::Snapshot>)> publish;
        /// Brings the overrides to disk.
        std::function<base::Result<void>(const Overrides&)> keep;
    };
    Helm(Seams seams, Overrides restored);

    /// Uses `setup` from now on, with the overrides and the health that are there. Publishes.
    void adopt(Setup setup);
    /// Looks at the health of all targets again; publishes when an answer could change.
    void refresh();

    struct Done {
        bool changed = false;  ///< clear: there was one
        bool kept = true;      ///< false: it holds, but could not be written to disk
    };
    /// Refused when the object is unknown, or, without `force`, when the service would be left
    /// without a site.
    std::variant<Done, Refusal> set_override(Override wanted, bool force);
    std::variant<Done, Refusal> clear_override(const OverrideKey& key, bool force);
    /// Ends what has expired, whatever that leaves; a service left without a site is logged.
    void expire(std::chrono::steady_clock::time_point now);

    Explanation explain(const ExplainQuestion& question, const Moment& now) const;

    const Setup& setup() const { return setup_; }
    const Overrides& overrides() const { return overrides_; }
    const answer::Snapshot& snapshot() const { return *snapshot_; }
    const answer::ServiceStates& states() const { return states_; }
    health::Health health(std::string_view service, std::string_view target) const;
    std::vector<health::CheckView> checks(std::string_view service, std::string_view target) const;

private:
    answer::ServiceStates read_states() const;
    void log_changes(const answer::ServiceStates& before) const;
    void log_losses(const Overrides& before, const std::vector<Override>& gone) const;
    std::vector<bool> find_healthy(const steering::Service& service) const;
    void build();
    bool keep();

    Seams seams_;
    Overrides overrides_;
    Setup setup_;
    std::unique_ptr<answer::SnapshotBuilder> builder_;
    answer::ServiceStates states_;  ///< what snapshot_ was built from
    std::shared_ptr<const answer::Snapshot> snapshot_;
};

}  // namespace twinsite::gslb::control
