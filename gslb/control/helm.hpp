// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
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
#include "gslb/control/measurements.hpp"
#include "gslb/control/overrides.hpp"
#include "gslb/health/checker.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/steering/site_returns.hpp"
#include "gslb/zone/index.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::control {

/// What a configuration, once loaded, gives to the helm. The parts are shared with snapshots.
struct Setup {
    std::string node;
    std::string site;
    /// Names what all members of the group read: equal for two that run the same intent.
    std::string configuration = {};
    std::shared_ptr<const steering::Steering> steering;
    std::shared_ptr<const steering::PrefixMap> prefixes;
    std::shared_ptr<const zone::Index> index;
    answer::ZoneSigners signers;  ///< the helm's thread alone uses them
    /// What `prefixes` was made of, without delays; null: delays cannot be used.
    std::shared_ptr<const steering::PrefixLayers> layers{};
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
        /// What an operator said here, for the other members of the group. May be empty.
        std::function<void(const Override&)> tell_override = {};
        /// A fence was raised here. May be empty.
        std::function<void()> tell_fence = {};
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
    /// Who takes an override back, and when.
    struct Word {
        std::string author;
        std::string reason;
        Moment now;
    };
    std::variant<Done, Refusal> clear_override(const OverrideKey& key, bool force);
    std::variant<Done, Refusal> clear_override(
        const OverrideKey& key, bool force, const Word& word
    );
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

    /// Takes what another member's operators said (docs/decisions/0026): the later stamp wins.
    /// Safety rules were asked where it was said; a service that two members leave without a site
    /// together is logged. True when something changed.
    bool merge_overrides(const wire::group::Overrides& said, const Moment& now);
    /// Overrides said here are later than those of all epochs before; see Stamp.
    void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
    /// Takes the highest fences that another member knows. True when one was higher.
    bool raise_fences(const wire::group::Fences& heard);
    wire::group::Fences fences() const;
    /// Each policy's inputs and answers as hashes; worked out once for each snapshot.
    const std::vector<wire::group::PolicyDigest>& decisions() const;

    Explanation explain(const ExplainQuestion& question, const Moment& now) const;

    // ---- what others measured; ages are told, never clocks. Counts from use_reports() on.
    struct LoadReport {
        std::string service;
        std::string target;
        double percent = 0;     ///< of what it can do
        std::uint64_t seq = 0;  ///< grows with each report
        std::chrono::milliseconds age{};
    };
    struct FactReport {
        std::string name;  ///< "db.success_rate", or with "@SITE" behind it
        double value = 0;
        std::chrono::milliseconds ttl{};
        std::chrono::milliseconds age{};
    };
    struct DelayReport {
        base::text::IpPrefix prefix;
        std::string site;
        double rtt_ms = 0;
        std::chrono::milliseconds age{};
    };
    std::optional<Refusal> report_load(const LoadReport& report);
    bool report_fact(const FactReport& report);  ///< false: there are too many
    std::optional<Refusal> report_delay(const DelayReport& report);
    /// Looks at the reports that came in.
    void use_reports();
    /// Tells the time, about once a second: shares walk, facts grow old, delays of fail-back pass.
    void tick(std::chrono::steady_clock::time_point now);
    /// Lets a site that was lost and is back have its clients again. False: it does not wait.
    bool release_site(const std::string& service, const std::string& site);
    const Measurements& measurements() const { return measured_; }
    const steering::SiteReturns& site_returns() const { return returns_; }
    Measurements::Time time() const { return time_; }

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
    /// What of the states comes from reports and from what was before.
    void add_memory(answer::ServiceStates& states) const;
    void make_builder();
    void use_delays();
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
    wire::group::Stamp make_stamp(const Moment& now);
    void build();
    bool keep();
    bool keep_control();

    static constexpr std::string_view kFenceScope = "control";

    Seams seams_;
    Overrides overrides_;
    KeptControl control_;
    bool control_kept_ = true;  ///< what is in force is on disk
    std::optional<std::chrono::steady_clock::time_point> heard_;
    wire::group::HybridClock clock_;
    std::uint64_t epoch_ = 0;
    Setup setup_;
    std::unique_ptr<answer::SnapshotBuilder> builder_;
    Measurements measured_;
    std::vector<std::string> known_sites_;
    std::map<std::string, steering::Fact, std::less<>> facts_;  ///< what snapshot_ was built from
    mutable steering::SiteReturns returns_;  ///< follows each reading of the states
    Measurements::Time time_{};              ///< as told last
    Measurements::Time settled_{};           ///< when delays were looked at last
    static constexpr std::chrono::seconds kSettleEvery{10};
    answer::ServiceStates states_;  ///< what snapshot_ was built from
    /// find_answering() of each service; empty after a build, until somebody asks: with large
    /// prefix tables it is work.
    mutable std::vector<std::vector<bool>> answering_;
    /// Of the snapshot in force; empty until somebody asks.
    mutable std::optional<std::vector<wire::group::PolicyDigest>> decisions_;
    std::shared_ptr<const answer::Snapshot> snapshot_;
};

}  // namespace twinsite::gslb::control
