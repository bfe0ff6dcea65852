// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "switchover/judge/state.hpp"
#include "switchover/model/time.hpp"

namespace twinsite::switchover::judge {

using model::Duration;
using model::Time;

/// A condition's value; `unknown` is neither.
enum class Truth : std::uint8_t { no, yes, unknown };
/// "no", "yes", "unknown".
std::string_view to_string(Truth truth) noexcept;
inline Truth truth_of(bool value) {
    return value ? Truth::yes : Truth::no;
}

struct Flags {
    bool stale = false;     ///< its own report, or all reports about it, are too old
    bool flapping = false;  ///< changes too often: no automatic action
    bool maint = false;     ///< the operators work on it
    bool blind = false;     ///< the judge does not trust its view of it
    bool operator==(const Flags&) const = default;
};

struct Verdict {
    State state = State::unknown;
    Time since{};  ///< of the state
    Flags flags;
};

/// Parallel to Plan::agents.
struct HostVerdict : Verdict {
    bool heard = false;            ///< since this judge started
    std::optional<Time> measured;  ///< the last report, less its age
    bool disk_bad = false;         ///< full or read-only, for long enough
    bool memory_bad = false;       ///< a warning; the host stays OK
};

/// One process of a host, as its agent names it.
struct ProcessVerdict : Verdict {
    std::size_t host = 0;  ///< index into Plan::agents
    std::string name;
    Truth down = Truth::unknown;  ///< yes: the rule is met now
    std::uint32_t restarts = 0;   ///< seen by this judge
};

enum class MemberKind : std::uint8_t { gslb, slb, monitor };
/// "gslb", "slb", "monitor".
std::string_view to_string(MemberKind kind) noexcept;

/// All gslbs, then all slbs, then all monitors of the plan.
struct MemberVerdict : Verdict {
    MemberKind kind = MemberKind::gslb;
    std::string name;
    std::string place;
    Truth reachable = Truth::unknown;
    Truth in_sync = Truth::unknown;  ///< has the wanted state; monitors have none: always yes
    Truth ready = Truth::unknown;    ///< its own word
    std::optional<Time> heard;       ///< last good contact
};

/// How an outside observer sees a site.
enum class Sees : std::uint8_t {
    unknown,  ///< it does not report, or not about this site: no vote
    up,
    down,
};
/// "unknown", "up", "down".
std::string_view to_string(Sees sees) noexcept;

struct Vote {
    std::string observer;  ///< "mon-west"; for several of a kind at one place "gslbs of west"
    Sees sees = Sees::unknown;
    std::optional<Time> measured;  ///< the newest result that it rests on
};

/// What a site's own agents say together.
enum class Local : std::uint8_t {
    unknown,  ///< too early to tell, or there are no agents
    ok,       ///< somebody reports
    failed,   ///< those who report say that they failed
    silent,   ///< all stale
};
/// "unknown", "ok", "failed", "silent".
std::string_view to_string(Local local) noexcept;

struct Evidence {
    Local local = Local::unknown;
    std::vector<Vote> votes;  ///< one per outside observer
    unsigned need = 2;        ///< votes for down
    unsigned have = 0;
    /// Those who see it down stand at one place, and somebody at another sees it up: a partial
    /// partition, no evidence.
    bool contradicted = false;
    bool hears = false;         ///< the judge hears a place that is neither its own nor this site
    bool complete = false;      ///< silent, votes, hears, not blind
    std::optional<Time> since;  ///< complete without a break since
    bool held = false;          ///< ... for `site_down_for`
};

/// Parallel to Plan::sites.
struct SiteVerdict : Verdict {
    unsigned agents_ok = 0;
    unsigned agents_stale = 0;
    unsigned agents_unknown = 0;  ///< not heard yet, and too early to call it silence
    unsigned agents_total = 0;
    Evidence evidence;
    Truth down = Truth::unknown;   ///< yes: FAILED, and the evidence is complete and held now
    Truth ready = Truth::unknown;  ///< may take all users now
};

struct ServiceView {
    std::string view;      ///< as a client of this site
    std::string observer;  ///< who asks
    std::string probe;
    bool ok = false;  ///< the newest answer
    std::optional<Time> measured;
    bool fresh = false;
};

/// Parallel to Plan::services.
struct ServiceVerdict : Verdict {
    Truth good = Truth::unknown;  ///< good answers in every view that is fresh, for `business_hold`
    std::optional<Time> last_good;
    std::vector<ServiceView> views;
};

struct Blind {
    bool is = false;
    bool starting = false;  ///< too early after the start to call it blindness
    Time since{};
    std::string why;  ///< English; empty when not blind
};

enum class EntityKind : std::uint8_t { site, host, process, member, service };
std::string_view to_string(EntityKind kind) noexcept;

/// A state that this evaluation changed.
struct Change {
    EntityKind kind = EntityKind::site;
    std::size_t index = 0;
    State from = State::unknown;
    State to = State::unknown;
};

/// What one evaluation says. Owned by the judge, good until the next evaluation.
struct Verdicts {
    Time at{};
    Blind blind;
    std::vector<SiteVerdict> sites;
    std::vector<HostVerdict> hosts;
    std::vector<ProcessVerdict> processes;
    std::vector<MemberVerdict> members;
    std::vector<ServiceVerdict> services;
    std::vector<Change> changes;  ///< of the last evaluation
};

}  // namespace twinsite::switchover::judge
