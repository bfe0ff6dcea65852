// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "switchover/judge/hosts.hpp"
#include "switchover/judge/members.hpp"
#include "switchover/judge/places.hpp"
#include "switchover/judge/probes.hpp"
#include "switchover/judge/track.hpp"

namespace twinsite::switchover::judge {

/// Why a site may or may not take all users now.
struct Readiness {
    bool state = false;     ///< OK, not flapping, nobody works on it
    bool members = false;   ///< one of each kind is reached and says that it is ready
    bool in_sync = false;   ///< all that are reached have the wanted state
    bool agents = false;    ///< more than half are well, and one of each kind
    bool outside = false;   ///< observers see it up
    bool capacity = false;  ///< it carries the load of all sites, or that is not judged
    bool all() const { return state && members && in_sync && agents && outside && capacity; }
};

/// Sites: the evidence that one is down (decision 0017), and whether one is ready. Also the judge's
/// own blindness.
class SiteJudge {
public:
    SiteJudge(
        const model::Plan& plan,
        const Places& places,
        const Rules& rules,
        const Probes& probes,
        Time start
    );

    void observe_load(std::size_t site, double per_second, Time at);
    void set_maintenance(std::size_t site, bool on) { sites_[site].maint = on; }

    /// Blind in general: before the entities are judged. By what was heard at the last evaluation.
    void judge_blindness(Time now, const Hosts& hosts, const Heard& heard, Blind& out);
    /// After hosts and members. `heard` is complete.
    void evaluate(Time now, const Hosts& hosts, const Heard& heard, Verdicts& out);

    void acted(std::size_t site, Time now);
    void restart_timers();

    bool blind_for(std::size_t site) const { return sites_[site].blind; }
    const Readiness& readiness(std::size_t site) const { return sites_[site].readiness; }
    /// Requests per second now; nullopt when not told lately.
    std::optional<double> load(std::size_t site, Time now) const;

private:
    struct Site {
        Track track;
        bool maint = false;
        bool blind = false;
        std::optional<Time> complete_since;
        double load = 0;
        std::optional<Time> load_at;
        Readiness readiness;
    };

    bool hears_beside(std::size_t site, const Heard& heard) const;
    bool others_silent(std::size_t site, const Hosts& hosts) const;
    void count_agents(std::size_t site, const Hosts& hosts, SiteVerdict& out) const;
    void vote(std::size_t site, Time now, Evidence& out) const;
    /// All who see it down stand at one place, and somebody elsewhere sees it up: a cut between two
    /// places, not the end of one.
    bool contradicted(std::size_t site, const std::vector<Vote>& votes) const;
    Level level(std::size_t site, const SiteVerdict& verdict) const;
    void evaluate_one(
        std::size_t index, Time now, const Hosts& hosts, const Heard& heard, Verdicts& out
    );
    Readiness judge_readiness(std::size_t site, Time now, const Hosts& hosts, const Verdicts& out)
        const;
    bool members_ready(std::size_t site, MemberKind kind, const Verdicts& out) const;
    bool capacity_ready(std::size_t site, Time now) const;

    const model::Plan& plan_;
    const Places& places_;
    const Rules& rules_;
    const Probes& probes_;
    const Time start_;
    std::vector<Site> sites_;
};

}  // namespace twinsite::switchover::judge
