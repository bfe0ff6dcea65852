// SPDX-License-Identifier: Apache-2.0
// Gates about sites: evidence, readiness, brakes, problems.
#include "switchover/judge/why_site.hpp"

#include <algorithm>

#include "switchover/judge/facts.hpp"
#include "switchover/judge/gate_text.hpp"
#include "switchover/judge/parts.hpp"
#include "switchover/judge/why.hpp"

namespace twinsite::switchover::judge {

namespace gate = model::gate;

namespace {

constexpr std::size_t kMostProblems = 50;

std::string name_of(const Parts& parts, std::size_t site) {
    return parts.plan.sites[site].name;
}

std::string word(State state) {
    return std::string(to_string(state));
}
std::string word(Sees sees) {
    return std::string(to_string(sees));
}

/// When the youngest report of a site was measured.
std::optional<Time> newest_report(const Parts& parts, std::size_t site) {
    std::optional<Time> out;
    for (std::size_t i = 0; i < parts.plan.agents.size(); ++i)
        if (parts.plan.agents[i].site == parts.plan.sites[site].name)
            out = std::max(out, parts.said.hosts[i].measured);
    return out;
}

Gate agents_silent(const Parts& parts, std::size_t index) {
    const auto& site = parts.said.sites[index];
    const auto have = of(site.agents_stale, site.agents_total);
    auto out = make_gate(
        gate::kAgentsSilent,
        site.evidence.local == Local::silent,
        have + " silent",
        site.agents_total == 0 ? "at least one agent" : "all silent",
        have + " agents of " + name_of(parts, index) +
            " are silent; while one reports, the site is not down."
    );
    out.age_ms = age(newest_report(parts, index), parts.said.at);
    out.source = "agents of " + name_of(parts, index);
    return out;
}

Gate votes(const Parts& parts, std::size_t index) {
    const auto& evidence = parts.said.sites[index].evidence;
    const auto have = of(evidence.have, evidence.votes.size());
    std::string text = have + " outside observers see " + name_of(parts, index) + " down; " +
                       of(evidence.need, evidence.votes.size()) + " must.";
    if (evidence.contradicted)
        text += " They stand at one place, and another place sees it up: a cut between places.";
    auto out = make_gate(
        gate::kVotes,
        evidence.have >= evidence.need && !evidence.contradicted,
        have + (evidence.contradicted ? ", contradicted" : ""),
        of(evidence.need, evidence.votes.size()),
        text
    );
    out.source = "outside observers";
    return out;
}

Gate observer(const Parts& parts, std::size_t index, const Vote& vote) {
    auto out = make_gate(
        gate::kObserver,
        vote.sees == Sees::down,
        word(vote.sees),
        "down",
        vote.sees == Sees::unknown
            ? vote.observer + " says nothing fresh about " + name_of(parts, index) +
                  ", which is no vote."
            : vote.observer + " sees " + name_of(parts, index) + " " + word(vote.sees) + "."
    );
    out.age_ms = age(vote.measured, parts.said.at);
    out.source = vote.observer;
    return out;
}

Gate judge_hears(const Parts& parts, std::size_t index) {
    std::string heard;
    for (std::size_t place = 0; place < parts.heard.size(); ++place)
        if (parts.heard[place] && place != parts.places.judge() && place != index)
            heard += (heard.empty() ? "" : ", ") + parts.places.name(place);
    const bool ok = parts.said.sites[index].evidence.hears;
    return make_gate(
        gate::kJudgeHears,
        ok,
        heard.empty() ? "nobody else" : heard,
        "the arbiter or another site",
        ok ? "This server hears " + heard + ", so its own link works."
           : "This server hears neither the arbiter nor another site: the silence may be its own."
    );
}

Gate blind(const Parts& parts, std::size_t index) {
    const bool is = parts.sites.blind_for(index);
    const auto& why = parts.said.blind.why;
    std::string text = "The judge trusts its view.";
    if (is)
        text = "The judge is blind: " +
               (why.empty() ? "more than half of the agents elsewhere are silent" : why) + ".";
    return make_gate(gate::kBlind, !is, is ? "blind" : "not blind", "not blind", text);
}

Gate held_for(const Parts& parts, std::size_t index) {
    const auto& evidence = parts.said.sites[index].evidence;
    const auto lasted = evidence.since ? parts.said.at - *evidence.since : Time::duration{0};
    const auto have = spell(std::chrono::duration_cast<Duration>(lasted));
    const auto need = spell(parts.rules.site_down_for);
    return make_gate(
        gate::kHeldFor,
        evidence.held,
        evidence.complete ? have : "not complete",
        need,
        evidence.complete ? "The evidence is complete for " + have + " of " + need + "."
                          : "The evidence is not complete."
    );
}

Gate flapping(const Parts& parts, std::size_t index) {
    const bool is = parts.said.sites[index].flags.flapping;
    return make_gate(
        gate::kFlapping,
        !is,
        is ? "flapping" : "steady",
        "steady",
        name_of(parts, index) + (is ? " changed too often lately." : " does not change often.")
    );
}

Gate maintenance(const Parts& parts, std::size_t index) {
    const bool is = parts.said.sites[index].flags.maint;
    return make_gate(
        gate::kMaintenance,
        !is,
        is ? "in maintenance" : "none",
        "none",
        name_of(parts, index) + (is ? " is in maintenance." : " is not in maintenance.")
    );
}

Gate not_inside(const Parts& parts, std::size_t index) {
    const bool inside = parts.plan.site == name_of(parts, index);
    return make_gate(
        gate::kNotInsideSite,
        !inside,
        "at " + parts.plan.site,
        "not at " + name_of(parts, index),
        inside ? "This server stands inside the site that it would judge."
               : "This server stands outside of the site."
    );
}

Gate both_sites_bad(const Parts& parts, std::size_t index) {
    std::string have;
    for (std::size_t i = 0; i < parts.said.sites.size(); ++i)
        if (i != index)
            have += (have.empty() ? "" : ", ") + name_of(parts, i) + " " +
                    word(parts.said.sites[i].state);
    const bool ok = other_site_ok(parts, index);
    return make_gate(
        gate::kBothSitesBad,
        ok,
        have.empty() ? "no other site" : have,
        "another site OK",
        ok ? "Another site is OK." : "No other site is OK: moving users there does not help."
    );
}

Gate site_state(const Parts& parts, std::size_t index, bool ok, std::string need) {
    const auto& site = parts.said.sites[index];
    auto out = make_gate(
        gate::kState,
        ok,
        word(site.state),
        std::move(need),
        name_of(parts, index) + " is " + word(site.state) + "."
    );
    out.age_ms = age(site.since, parts.said.at);
    return out;
}

Gate target_state(const Parts& parts, std::size_t index) {
    const auto& site = parts.said.sites[index];
    std::string have = word(site.state);
    if (site.flags.flapping) have += ", flapping";
    if (site.flags.maint) have += ", in maintenance";
    return make_gate(
        gate::kTargetState,
        parts.sites.readiness(index).state,
        have,
        "OK",
        name_of(parts, index) + " is " + have + "."
    );
}

/// Of the site's gslbs and slbs: reached and all. `test` picks those that are as they should be.
template <class Test>
Gate target_members(
    const Parts& parts,
    std::size_t index,
    std::string_view code,
    bool ok,
    std::string_view need,
    Test test
) {
    std::string names;
    unsigned good = 0;
    unsigned all = 0;
    for (const auto& member : parts.said.members) {
        if (member.place != name_of(parts, index) || member.kind == MemberKind::monitor) continue;
        ++all;
        if (test(member))
            ++good;
        else
            names += (names.empty() ? "" : ", ") + member.name;
    }
    return make_gate(
        code,
        ok,
        of(good, all) + (names.empty() ? "" : "; not " + names),
        std::string(need),
        names.empty() ? "All gslbs and slbs of the site are as they should be."
                      : "Not as it should be: " + names + "."
    );
}

Gate target_agents(const Parts& parts, std::size_t index) {
    const auto& site = parts.said.sites[index];
    const auto have = of(site.agents_ok, site.agents_total);
    return make_gate(
        gate::kTargetAgents,
        parts.sites.readiness(index).agents,
        have + " OK",
        "more than half, and one of each kind",
        have + " machines of " + name_of(parts, index) + " report that they are well."
    );
}

Gate target_outside(const Parts& parts, std::size_t index) {
    const auto& votes_of_site = parts.said.sites[index].evidence.votes;
    const auto up = static_cast<std::uint64_t>(std::count_if(
        votes_of_site.begin(),
        votes_of_site.end(),
        [](const Vote& vote) { return vote.sees == Sees::up; }
    ));
    const auto have = std::to_string(up) + " up, " +
                      std::to_string(parts.said.sites[index].evidence.have) + " down";
    return make_gate(
        gate::kTargetOutside,
        parts.sites.readiness(index).outside,
        have,
        "more up than down",
        "Outside observers of " + name_of(parts, index) + ": " + have + "."
    );
}

Gate capacity(const Parts& parts, std::size_t index) {
    const auto limit = parts.plan.sites[index].capacity_per_second;
    if (!limit)
        return make_gate(
            gate::kCapacity, true, "not configured", "not judged", "No capacity is configured."
        );
    double sum = 0;
    bool known = true;
    for (std::size_t i = 0; i < parts.plan.sites.size(); ++i) {
        const auto load = parts.sites.load(i, parts.said.at);
        known = known && load.has_value();
        sum += load.value_or(0);
    }
    return make_gate(
        gate::kCapacity,
        parts.sites.readiness(index).capacity,
        known ? spell(sum) + "/s" : "load not known",
        "at most " + spell(*limit) + "/s",
        known ? "All sites together carry " + spell(sum) + " requests per second; " +
                    name_of(parts, index) + " can carry " + spell(*limit) + "."
              : "The load of a site is not known, so nobody knows whether it fits."
    );
}

void add_host_problems(const Parts& parts, std::size_t index, std::vector<Gate>& out) {
    for (std::size_t i = 0; i < parts.plan.agents.size() && out.size() < kMostProblems; ++i) {
        if (parts.plan.agents[i].site != name_of(parts, index)) continue;
        const auto& host = parts.said.hosts[i];
        for (auto& found : explain_host(parts, i))
            if (!found.ok && (host.heard || host.flags.stale)) out.push_back(std::move(found));
    }
}

void add_process_problems(const Parts& parts, std::size_t index, std::vector<Gate>& out) {
    for (std::size_t i = 0; i < parts.said.processes.size() && out.size() < kMostProblems; ++i) {
        const auto& process = parts.said.processes[i];
        if (parts.plan.agents[process.host].site != name_of(parts, index)) continue;
        if (process.state != State::ok && process.state != State::unknown)
            out.push_back(explain_process_state(parts, i));
    }
}

void add_member_problems(const Parts& parts, std::size_t index, std::vector<Gate>& out) {
    const bool starting = parts.said.blind.starting;
    for (std::size_t i = 0; i < parts.said.members.size() && out.size() < kMostProblems; ++i) {
        if (parts.said.members[i].place != name_of(parts, index)) continue;
        for (auto& found : explain_member(parts, i))
            if (!found.ok && !starting) out.push_back(std::move(found));
    }
}

}  // namespace

std::vector<Gate> explain_evidence(const Parts& parts, std::size_t site) {
    std::vector<Gate> out{agents_silent(parts, site), votes(parts, site)};
    for (const auto& vote : parts.said.sites[site].evidence.votes)
        out.push_back(observer(parts, site, vote));
    out.push_back(judge_hears(parts, site));
    out.push_back(blind(parts, site));
    out.push_back(held_for(parts, site));
    return out;
}

std::vector<Gate> explain_readiness(const Parts& parts, std::size_t site) {
    const auto& ready = parts.sites.readiness(site);
    const auto reached = [](const MemberVerdict& member) {
        return member.reachable == Truth::yes && member.ready != Truth::no;
    };
    const auto current = [](const MemberVerdict& member) {
        return member.reachable != Truth::yes || member.in_sync == Truth::yes;
    };
    return {
        target_state(parts, site),
        target_members(
            parts, site, gate::kTargetMembers, ready.members, "one gslb and one slb ready", reached
        ),
        target_members(
            parts, site, gate::kTargetInSync, ready.in_sync, "all that are reached", current
        ),
        target_agents(parts, site),
        target_outside(parts, site),
        capacity(parts, site),
    };
}

std::vector<Gate> explain_site(const Parts& parts, std::string_view what, std::size_t site) {
    const auto state = parts.said.sites[site].state;
    if (what == "down") return explain_evidence(parts, site);
    if (what == "ready") return explain_readiness(parts, site);
    if (what == "silent") return {agents_silent(parts, site)};
    if (what == "flapping") return {flapping(parts, site)};
    if (what == "outside") return {not_inside(parts, site)};
    if (what == "other_ok") return {both_sites_bad(parts, site)};
    if (what == "ok")
        return {site_state(parts, site, state == State::ok, "OK"), flapping(parts, site)};
    if (what == "bad")
        return {site_state(
            parts, site, state == State::suspect || state == State::failed, "SUSPECT or FAILED"
        )};
    return {site_state(parts, site, state == State::ok, "OK")};
}

std::vector<Gate> brakes_of(const Parts& parts, std::size_t site) {
    return {
        blind(parts, site),
        flapping(parts, site),
        maintenance(parts, site),
        not_inside(parts, site),
        both_sites_bad(parts, site),
    };
}

std::vector<Gate> problems_of(const Parts& parts, std::size_t site) {
    std::vector<Gate> out;
    const auto& verdict = parts.said.sites[site];
    if (verdict.flags.flapping) out.push_back(flapping(parts, site));
    if (verdict.flags.maint) out.push_back(maintenance(parts, site));
    for (const auto& vote : verdict.evidence.votes) {
        if (vote.sees != Sees::down) continue;
        out.push_back(observer(parts, site, vote));
        out.back().ok = false;
        out.back().need = "up";
    }
    add_member_problems(parts, site, out);
    add_host_problems(parts, site, out);
    add_process_problems(parts, site, out);
    return out;
}

}  // namespace twinsite::switchover::judge
