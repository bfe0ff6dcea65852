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
#include "gslb/control/directives.hpp"
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

/// What of switchover's control is kept on disk, and comes back after a restart.
struct KeptControl {
    wire::contract::FenceGuard fences;
    Directives directives;
};

/// Where everything that moves answers comes together: the configuration in force, health, what
/// switchover wants, and operators' overrides. Whenever one of them changes, it decides anew and
/// publishes a snapshot.
/// No sockets and no clock of its own; one thread.
class Helm {
public:
    struct Seams {
        std::function<health::Health(std::string_view id)> health;
        std::function<std::vector<health::CheckView>(std::string_view id)> checks;
        std::function<void(std::shared_ptr<const answer::Snapshot>)> publish;
        /// Brings the overrides to disk.
        std::function<base::Result<void>(const Overrides&)> keep;
        /// Brings fences and wanted state to disk.
        std::function<base::Result<void>(const KeptControl&)> keep_control;
    };
    Helm(Seams seams, Overrides restored, KeptControl control = {});

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

    struct Desired {
        bool changed = false;              ///< another list, or another server, than before
        bool kept = true;                  ///< false: it holds, but could not be written to disk
        std::vector<std::string> unknown;  ///< objects that the configuration does not have
    };
    struct Stale {
        wire::contract::Fence highest;
    };
    /// Takes the whole wanted state of switchover. Refused when its fence is below the highest
    /// seen, or when a service would be left without any site; then the list before stays.
    std::variant<Desired, Stale, Refusal> set_desired(Directives wanted, const Moment& now);

    /// One service at one site, as this gslb sees and answers it.
    struct SiteView {
        std::string site;
        std::string service;
        steering::Health health = steering::Health::unknown;  ///< of its best target
        std::string control;     ///< "in", "out", "drain"; "": nobody speaks of it
        std::string override_;   ///< "up", "down", "drain"; "": none
        bool answering = false;  ///< some clients get it
    };
    std::vector<SiteView> site_views() const;

    Explanation explain(const ExplainQuestion& question, const Moment& now) const;

    const Setup& setup() const { return setup_; }
    const Overrides& overrides() const { return overrides_; }
    const KeptControl& control() const { return control_; }
    wire::contract::Fence fence() const { return control_.fences.highest(kFenceScope); }
    /// When switchover spoke last; none: not since the start.
    std::optional<std::chrono::steady_clock::time_point> heard_control() const { return heard_; }
    const answer::Snapshot& snapshot() const { return *snapshot_; }
    const answer::ServiceStates& states() const { return states_; }
    health::Health health(std::string_view service, std::string_view target) const;
    std::vector<health::CheckView> checks(std::string_view service, std::string_view target) const;

private:
    answer::ServiceStates read_states() const;
    void log_changes(const answer::ServiceStates& before) const;
    void log_losses(const Overrides& before, const std::vector<Override>& gone) const;
    std::vector<bool> find_healthy(const steering::Service& service) const;
    std::vector<steering::Forced> find_control(const steering::Service& service) const;
    void log_control(const Directives& before) const;
    void add_control_notes(const steering::Service& service, Explanation& out) const;
    /// By target: whether some clients get it.
    std::vector<bool> find_answering(std::size_t service) const;
    SiteView view_site(
        std::size_t service, steering::SiteIndex site, const std::vector<bool>& answering
    ) const;
    void build();
    bool keep();
    bool keep_control();

    static constexpr std::string_view kFenceScope = "control";

    Seams seams_;
    Overrides overrides_;
    KeptControl control_;
    bool control_kept_ = true;  ///< what is in force is on disk
    std::optional<std::chrono::steady_clock::time_point> heard_;
    Setup setup_;
    std::unique_ptr<answer::SnapshotBuilder> builder_;
    answer::ServiceStates states_;  ///< what snapshot_ was built from
    /// find_answering() of each service; empty after a build, until somebody asks: with large
    /// prefix tables it is work.
    mutable std::vector<std::vector<bool>> answering_;
    std::shared_ptr<const answer::Snapshot> snapshot_;
};

}  // namespace twinsite::gslb::control
