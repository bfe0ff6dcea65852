// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/rules.hpp"
#include "switchover/judge/verdicts.hpp"
#include "switchover/model/gate.hpp"
#include "switchover/model/plan.hpp"

namespace twinsite::switchover::judge {

using model::Gate;

/// A process in an agent's report.
enum class ProcessState : std::uint8_t { unknown, up, stuck, down };
/// By the word of the report: "up", "stuck", "down"; anything else is unknown.
ProcessState process_state(std::string_view word) noexcept;

struct ProcessReading {
    std::string_view name;
    ProcessState state = ProcessState::unknown;
    std::uint64_t restarts =
        0;  ///< the agent's counter; a rise is a restart, a fall is a new agent
};

/// What the judge takes from one report.
struct HostReading {
    Time measured{};       ///< arrival on the monotonic clock less the age that the sender gave
    Duration interval{0};  ///< of the reports
    double memory_used_percent = -1;            ///< -1: not in the report
    double disk_used_percent = -1;              ///< the fullest disk
    bool disk_read_only = false;                ///< any
    std::span<const ProcessReading> processes;  ///< the first 256 count
};

/// One result of an outside probe. Observers: a monitor by its id ("west/mon-west") or name, a gslb
/// by its name (its own health view), this server by its node name.
struct ProbeReading {
    std::string_view observer;
    std::string_view name;     ///< of the probe, unique at its observer
    std::string_view subject;  ///< "site:east", "service:ocs", "process:east/proc1:charging"
    std::string_view view;     ///< service probes: as a client of this site
    bool ok = false;
    Time measured{};
    Duration interval{0};  ///< between results; a result counts for `stale_intervals` of them
};

/// One poll of a gslb's or slb's control API, or one batch of a monitor.
struct MemberReading {
    bool reachable = false;
    Truth in_sync = Truth::unknown;  ///< unknown: keeps what was said before
    Truth ready = Truth::unknown;    ///< likewise
    Time at{};
    Duration interval{1'000};
};

/// A condition by name, as scenarios write it.
struct Fact {
    Truth truth = Truth::unknown;  ///< of a `.state`: whether it is OK
    std::string text;              ///< "yes", "no", "unknown"; of a `.state` the state's word
};

struct Parts;

/// The judge: is told what was heard and the time, and says what that means. Pure; one thread.
/// After a restart everything is UNKNOWN. Cost of `evaluate` is linear in hosts and processes, with
/// neither text nor allocation in the loop over them.
class Judge {
public:
    /// `now` is the start; the plan is copied.
    Judge(model::Plan plan, Rules rules, Time now);
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    const model::Plan& plan() const;
    const Rules& rules() const;

    /// Index into Plan::agents for "SITE/NAME".
    std::optional<std::size_t> find_host(std::string_view id) const;
    /// Index into Verdicts::members.
    std::optional<std::size_t> find_member(std::string_view name) const;

    /// Readings older than one that is here already, and backfill, are not judged.
    void observe_report(std::size_t host, const HostReading& reading);
    /// False when observer or subject are not in the plan.
    bool observe_probe(const ProbeReading& reading);
    void observe_member(std::size_t member, const MemberReading& reading);
    /// Answers that the service itself counted since the last call, at `site`.
    void observe_volume(std::string_view service, double attempts, double good, Time at);
    /// What a site carries now, requests per second.
    void observe_load(std::string_view site, double per_second, Time at);
    void set_maintenance(std::string_view site, bool on);

    /// Something was done to the entity ("site:east", "host:east/if1", "process:east/proc1:x",
    /// "member:slb-east", "service:ocs"): its counters and timers start anew (control.md 18).
    void acted(std::string_view entity, Time now);

    /// Judges. `now` must not go back. The answer is good until the next call.
    const Verdicts& evaluate(Time now);
    const Verdicts& verdicts() const;

    /// The value of a condition at the last evaluation; nullopt when there is no such condition or
    /// no such entity. Names: `fact_forms()`.
    std::optional<Fact> fact(std::string_view name, std::span<const std::string> arguments) const;
    /// Why it has that value: every gate with value, need, age and source. Empty when unknown name.
    std::vector<Gate> why(std::string_view name, std::span<const std::string> arguments) const;
    /// What is not as it should be at a site, for people.
    std::vector<Gate> problems(std::size_t site) const;
    /// The brakes on moving users away from `site`, whatever the mode: blind, flapping, maint,
    /// not-inside-site, both-sites-bad. Empty for an unknown site.
    std::vector<Gate> brakes(std::string_view site) const;

private:
    std::unique_ptr<Parts> parts_;
};

/// A condition that scenarios may name.
struct FactForm {
    std::string_view name;  ///< "site.down"
    /// "site", "host", "process" (two arguments: host and name; a site and a name mean all of that
    /// name at the site), "member", "service", "" for none.
    std::string_view argument;
    std::string_view meaning;  ///< English
};
/// site.down site.ok site.ready site.state site.silent site.flapping site.bad
/// site.outside site.other_ok; host.ok host.stale host.state; process.down process.ok
/// process.state process.sister_ok; member.reachable member.in_sync member.state; business.good
/// business.bad business.state; judge.blind.
std::span<const FactForm> fact_forms();

}  // namespace twinsite::switchover::judge
