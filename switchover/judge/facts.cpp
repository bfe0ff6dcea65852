// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/facts.hpp"

#include <algorithm>
#include <array>

#include "switchover/judge/parts.hpp"

namespace twinsite::switchover::judge {

namespace {

constexpr std::array kForms{
    FactForm{"site.down", "site", "FAILED, and the evidence is complete now"},
    FactForm{"site.ok", "site", "OK and not flapping"},
    FactForm{"site.ready", "site", "may take all users now"},
    FactForm{"site.state", "site", "the state's word"},
    FactForm{"site.silent", "site", "all of its agents are stale"},
    FactForm{"site.flapping", "site", "changes too often"},
    FactForm{"site.bad", "site", "SUSPECT or FAILED"},
    FactForm{"site.outside", "site", "this server stands outside of it"},
    FactForm{"site.other_ok", "site", "another site is OK"},
    FactForm{"host.ok", "host", "OK"},
    FactForm{"host.stale", "host", "silent for too long"},
    FactForm{"host.state", "host", "the state's word"},
    FactForm{"process.down", "process", "all instances named are down for long enough"},
    FactForm{"process.ok", "process", "all instances named are OK"},
    FactForm{"process.state", "process", "the worst state's word"},
    FactForm{"process.sister_ok", "process", "another instance at the same site is OK"},
    FactForm{"member.reachable", "member", "answers"},
    FactForm{"member.in_sync", "member", "has the wanted state"},
    FactForm{"member.state", "member", "the state's word"},
    FactForm{"business.good", "service", "good answers in every view, for business_hold"},
    FactForm{"business.bad", "service", "SUSPECT or FAILED"},
    FactForm{"business.state", "service", "the state's word"},
    FactForm{"judge.blind", "", "the judge does not trust its view"},
};

Fact fact_of(Truth truth) {
    return {truth, std::string(to_string(truth))};
}
Fact fact_of(bool value) {
    return fact_of(truth_of(value));
}
Fact state_fact(State state) {
    const auto truth = state == State::unknown ? Truth::unknown : truth_of(state == State::ok);
    return {truth, std::string(to_string(state))};
}

/// Of a condition that nothing is known of while the state is UNKNOWN.
Fact unless_unknown(const Verdict& verdict, bool value) {
    return verdict.state == State::unknown ? fact_of(Truth::unknown) : fact_of(value);
}

bool bad(State state) {
    return state == State::suspect || state == State::failed;
}

Fact site_fact(const Parts& parts, std::string_view what, std::size_t index) {
    const auto& site = parts.said.sites[index];
    if (what == "down") return fact_of(site.down);
    if (what == "ok") return unless_unknown(site, site.state == State::ok && !site.flags.flapping);
    if (what == "ready") return fact_of(site.ready);
    if (what == "state") return state_fact(site.state);
    if (what == "silent") {
        if (site.evidence.local == Local::unknown) return fact_of(Truth::unknown);
        return fact_of(site.evidence.local == Local::silent);
    }
    if (what == "flapping") return fact_of(site.flags.flapping);
    if (what == "bad") return unless_unknown(site, bad(site.state));
    if (what == "outside") return fact_of(parts.plan.site != parts.plan.sites[index].name);
    return fact_of(other_site_ok(parts, index));
}

Fact host_fact(const Parts& parts, std::string_view what, std::size_t index) {
    const auto& host = parts.said.hosts[index];
    if (what == "ok") return unless_unknown(host, host.state == State::ok);
    if (what == "stale") return fact_of(host.flags.stale);
    return state_fact(host.state);
}

/// The worst of some processes; UNKNOWN when there is none.
State worst_state(const Parts& parts, const std::vector<std::size_t>& processes) {
    constexpr std::array kBadness{
        State::ok, State::recovering, State::unknown, State::suspect, State::failed
    };
    const auto badness = [&](State state) {
        return std::find(kBadness.begin(), kBadness.end(), state) - kBadness.begin();
    };
    if (processes.empty()) return State::unknown;
    State out = State::ok;
    for (const auto index : processes)
        if (badness(parts.said.processes[index].state) > badness(out))
            out = parts.said.processes[index].state;
    return out;
}

Fact process_fact(
    const Parts& parts, std::string_view what, const std::vector<std::size_t>& processes
) {
    if (processes.empty()) return {Truth::unknown, what == "state" ? "UNKNOWN" : "unknown"};
    if (what == "state") return state_fact(worst_state(parts, processes));
    if (what == "sister_ok") return fact_of(sister_ok(parts, processes));
    bool unknown = false;
    for (const auto index : processes) {
        const auto& process = parts.said.processes[index];
        const auto truth = what == "down"
                               ? process.down
                               : unless_unknown(process, process.state == State::ok).truth;
        if (truth == Truth::no) return fact_of(false);
        unknown = unknown || truth == Truth::unknown;
    }
    return fact_of(unknown ? Truth::unknown : Truth::yes);
}

Fact member_fact(const Parts& parts, std::string_view what, std::size_t index) {
    const auto& member = parts.said.members[index];
    if (what == "reachable") return fact_of(member.reachable);
    if (what == "in_sync") return fact_of(member.in_sync);
    return state_fact(member.state);
}

Fact business_fact(const Parts& parts, std::string_view what, std::size_t index) {
    const auto& service = parts.said.services[index];
    if (what == "good") return fact_of(service.good);
    if (what == "bad") return unless_unknown(service, bad(service.state));
    return state_fact(service.state);
}

std::vector<std::size_t> find_processes(
    const Parts& parts, const std::string& where, const std::string& name
) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < parts.plan.agents.size(); ++i) {
        const auto& agent = parts.plan.agents[i];
        if (agent.site != where && agent.id() != where) continue;
        if (const auto index = parts.hosts.find_process(i, name)) out.push_back(*index);
    }
    // A process that never ran at an evaluation has no verdict yet.
    std::erase_if(out, [&](std::size_t index) { return index >= parts.said.processes.size(); });
    return out;
}

std::optional<std::size_t> find_entity(
    const Parts& parts, std::string_view kind, const std::string& name
) {
    if (kind == "site") return parts.plan.find_site(name);
    if (kind == "host") return parts.hosts.find(name);
    if (kind == "service") return parts.find_service(name);
    return parts.members.find(name);
}

}  // namespace

std::span<const FactForm> fact_forms() {
    return kForms;
}

bool sister_ok(const Parts& parts, const std::vector<std::size_t>& processes) {
    if (processes.empty()) return false;
    const auto& said = parts.said.processes;
    const auto& first = said[processes.front()];
    const auto& place = parts.plan.agents[first.host].site;
    for (std::size_t i = 0; i < said.size(); ++i) {
        if (said[i].name != first.name || parts.plan.agents[said[i].host].site != place) continue;
        const bool meant = std::find(processes.begin(), processes.end(), i) != processes.end();
        if (!meant && said[i].state == State::ok) return true;
    }
    return false;
}

bool other_site_ok(const Parts& parts, std::size_t site) {
    for (std::size_t i = 0; i < parts.said.sites.size(); ++i)
        if (i != site && parts.said.sites[i].state == State::ok) return true;
    return false;
}

std::optional<Subject> find_subject(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
) {
    const auto form = std::find_if(kForms.begin(), kForms.end(), [name](const FactForm& known) {
        return known.name == name;
    });
    if (form == kForms.end()) return std::nullopt;
    Subject out;
    out.form = &*form;
    if (form->argument.empty()) {
        if (!arguments.empty()) return std::nullopt;
        return out;
    }
    if (form->argument == "process") {
        if (arguments.size() != 2) return std::nullopt;
        const auto& where = arguments[0];
        if (!parts.hosts.find(where) && !parts.plan.find_site(where)) return std::nullopt;
        out.processes = find_processes(parts, where, arguments[1]);
        return out;
    }
    if (arguments.size() != 1) return std::nullopt;
    const auto index = find_entity(parts, form->argument, arguments[0]);
    if (!index) return std::nullopt;
    out.index = *index;
    return out;
}

std::optional<Fact> find_fact(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
) {
    const auto subject = find_subject(parts, name, arguments);
    if (!subject) return std::nullopt;
    const auto what = name.substr(name.find('.') + 1);
    const auto kind = subject->form->argument;
    if (kind == "site") return site_fact(parts, what, subject->index);
    if (kind == "host") return host_fact(parts, what, subject->index);
    if (kind == "process") return process_fact(parts, what, subject->processes);
    if (kind == "member") return member_fact(parts, what, subject->index);
    if (kind == "service") return business_fact(parts, what, subject->index);
    return fact_of(parts.said.blind.is);
}

}  // namespace twinsite::switchover::judge
