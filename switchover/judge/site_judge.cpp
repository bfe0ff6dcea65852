// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/site_judge.hpp"

#include <algorithm>

namespace twinsite::switchover::judge {

namespace {

constexpr Duration kLoadLasts{30'000};

/// How many benches must see a site down: a majority, and never a single one.
unsigned votes_needed(std::size_t benches) {
    return std::max(2U, static_cast<unsigned>(benches / 2 + 1));
}

Local local_of(const AgentCount& agents) {
    if (agents.total == 0) return Local::unknown;
    if (agents.stale == agents.total) return Local::silent;
    if (agents.fresh() == 0) return Local::unknown;
    return agents.ok == 0 ? Local::failed : Local::ok;
}

}  // namespace

SiteJudge::SiteJudge(
    const model::Plan& plan,
    const Places& places,
    const Rules& rules,
    const Probes& probes,
    Time start
)
    : plan_(plan),
      places_(places),
      rules_(rules),
      probes_(probes),
      start_(start),
      sites_(plan.sites.size()) {}

void SiteJudge::observe_load(std::size_t index, double per_second, Time at) {
    auto& site = sites_[index];
    if (!(per_second >= 0) || (site.load_at && at <= *site.load_at)) return;
    site.load = per_second;
    site.load_at = at;
}

std::optional<double> SiteJudge::load(std::size_t index, Time now) const {
    const auto& site = sites_[index];
    if (!site.load_at || now > *site.load_at + kLoadLasts) return std::nullopt;
    return site.load;
}

bool SiteJudge::hears_beside(std::size_t site, const Heard& heard) const {
    for (std::size_t place = 0; place < heard.size(); ++place)
        if (heard[place] && place != places_.judge() && place != site) return true;
    return false;
}

bool SiteJudge::others_silent(std::size_t site, const Hosts& hosts) const {
    unsigned total = 0;
    unsigned stale = 0;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        if (place == site) continue;
        total += hosts.count(place).total;
        stale += hosts.count(place).stale;
    }
    return stale * 2 > total;
}

void SiteJudge::judge_blindness(Time now, const Hosts& hosts, const Heard& heard, Blind& out) {
    bool all_silent = !sites_.empty();
    for (std::size_t site = 0; site < sites_.size(); ++site)
        all_silent = others_silent(site, hosts) && all_silent;
    const bool alone = places_.size() > 1 && !hears_beside(places_.judge(), heard);
    out.starting = alone && now - start_ < rules_.first_report;
    const bool is = (alone && !out.starting) || all_silent;
    if (is != out.is) out.since = now;
    out.is = is;
    if (!is)
        out.why.clear();
    else if (alone)
        out.why = "this server hears no other site and no arbiter";
    else
        out.why = "more than half of the agents at every other place are silent";
    for (std::size_t site = 0; site < sites_.size(); ++site)
        sites_[site].blind = is || others_silent(site, hosts);
}

void SiteJudge::count_agents(std::size_t site, const Hosts& hosts, SiteVerdict& out) const {
    const auto& agents = hosts.count(site);
    out.agents_ok = agents.ok;
    out.agents_stale = agents.stale;
    out.agents_unknown = agents.unknown;
    out.agents_total = agents.total;
    out.evidence.local = local_of(agents);
    out.flags.stale = out.evidence.local == Local::silent;
}

void SiteJudge::vote(std::size_t site, Time now, Evidence& out) const {
    const auto& benches = probes_.outside(site);
    out.need = votes_needed(benches.size());
    out.have = 0;
    out.votes.resize(benches.size());
    for (std::size_t i = 0; i < benches.size(); ++i) {
        auto& vote = out.votes[i];
        if (vote.observer.empty()) vote.observer = benches[i].name;
        vote.sees = probes_.sees(benches[i], site, now);
        vote.measured = probes_.measured(benches[i], site);
        if (vote.sees == Sees::down) ++out.have;
    }
    out.contradicted = contradicted(site, out.votes);
}

bool SiteJudge::contradicted(std::size_t site, const std::vector<Vote>& votes) const {
    const auto& benches = probes_.outside(site);
    std::optional<std::size_t> down_from;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        if (votes[i].sees != Sees::down) continue;
        if (down_from && *down_from != benches[i].place) return false;
        down_from = benches[i].place;
    }
    if (!down_from) return false;
    for (std::size_t i = 0; i < votes.size(); ++i)
        if (votes[i].sees == Sees::up && benches[i].place != *down_from) return true;
    return false;
}

Level SiteJudge::level(std::size_t site, const SiteVerdict& verdict) const {
    const auto& evidence = verdict.evidence;
    if (evidence.held) return Level::confirmed;
    const bool silent = evidence.local == Local::silent || evidence.local == Local::failed;
    const bool seen_up =
        std::any_of(evidence.votes.begin(), evidence.votes.end(), [](const Vote& vote) {
            return vote.sees == Sees::up;
        });
    if (silent || evidence.have > 0) return sites_[site].blind ? Level::blind : Level::bad;
    if (evidence.local == Local::ok) return Level::good;
    return verdict.agents_total == 0 && seen_up ? Level::good : Level::none;
}

void SiteJudge::evaluate(Time now, const Hosts& hosts, const Heard& heard, Verdicts& out) {
    out.sites.resize(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) evaluate_one(i, now, hosts, heard, out);
    for (std::size_t i = 0; i < sites_.size(); ++i) {
        sites_[i].readiness = judge_readiness(i, now, hosts, out);
        const bool known = out.sites[i].state != State::unknown;
        out.sites[i].ready =
            sites_[i].readiness.all() ? Truth::yes : (known ? Truth::no : Truth::unknown);
    }
}

void SiteJudge::evaluate_one(
    std::size_t index, Time now, const Hosts& hosts, const Heard& heard, Verdicts& out
) {
    auto& site = sites_[index];
    auto& verdict = out.sites[index];
    auto& evidence = verdict.evidence;
    count_agents(index, hosts, verdict);
    vote(index, now, evidence);
    evidence.hears = hears_beside(index, heard);
    evidence.complete = evidence.local == Local::silent && evidence.have >= evidence.need &&
                        !evidence.contradicted && evidence.hears && !site.blind;
    const auto complete_for = lasting(evidence.complete, now, site.complete_since);
    evidence.since = site.complete_since;
    evidence.held = evidence.complete && complete_for >= rules_.site_down_for;
    const auto found = level(index, verdict);
    const auto before = site.track.state();
    if (site.track.step(found, now, rules_))
        out.changes.push_back({EntityKind::site, index, before, site.track.state()});
    verdict.state = site.track.state();
    verdict.since = site.track.since();
    verdict.flags.flapping = site.track.flapping();
    verdict.flags.maint = site.maint;
    verdict.flags.blind = found == Level::blind;
    const bool unsure = found == Level::blind || verdict.state == State::unknown;
    verdict.down = evidence.held ? Truth::yes : (unsure ? Truth::unknown : Truth::no);
}

bool SiteJudge::members_ready(std::size_t site, MemberKind kind, const Verdicts& out) const {
    bool any = false;
    for (const auto& member : out.members) {
        if (member.kind != kind || member.place != plan_.sites[site].name) continue;
        any = true;
        if (member.reachable == Truth::yes && member.ready != Truth::no) return true;
    }
    return !any;
}

bool SiteJudge::capacity_ready(std::size_t site, Time now) const {
    const auto capacity = plan_.sites[site].capacity_per_second;
    if (!capacity) return true;
    double sum = 0;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
        const auto carried = load(i, now);
        if (!carried) return false;
        sum += *carried;
    }
    return sum <= *capacity;
}

Readiness SiteJudge::judge_readiness(
    std::size_t index, Time now, const Hosts& hosts, const Verdicts& out
) const {
    const auto& site = sites_[index];
    const auto& verdict = out.sites[index];
    Readiness ready;
    ready.state = verdict.state == State::ok && !verdict.flags.flapping && !site.maint;
    ready.members =
        members_ready(index, MemberKind::gslb, out) && members_ready(index, MemberKind::slb, out);
    ready.in_sync = true;
    for (const auto& member : out.members)
        if (member.place == plan_.sites[index].name && member.reachable == Truth::yes)
            ready.in_sync = ready.in_sync && member.in_sync == Truth::yes;
    const auto& agents = hosts.count(index);
    ready.agents =
        agents.total == 0 || (agents.ok * 2 > agents.total && agents.kinds == agents.kinds_ok);
    unsigned up = 0;
    for (const auto& vote : verdict.evidence.votes) up += vote.sees == Sees::up ? 1 : 0;
    ready.outside = verdict.evidence.votes.empty() || up > verdict.evidence.have;
    ready.capacity = capacity_ready(index, now);
    return ready;
}

void SiteJudge::acted(std::size_t index, Time now) {
    sites_[index].track.acted(now);
    sites_[index].complete_since.reset();
}

void SiteJudge::restart_timers() {
    for (auto& site : sites_) {
        site.track.restart_timers();
        site.complete_since.reset();
    }
}

}  // namespace twinsite::switchover::judge
