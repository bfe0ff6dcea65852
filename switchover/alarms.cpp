// SPDX-License-Identifier: Apache-2.0
#include "switchover/alarms.hpp"

#include <algorithm>
#include <utility>

#include "base/crypto/certificate.hpp"
#include "switchover/conductor.hpp"

namespace twinsite::switchover {
namespace {

using api::AlarmView;
using judge::State;

constexpr const char* kCritical = "critical";
constexpr const char* kWarning = "warning";
constexpr const char* kInfo = "info";
constexpr std::size_t kNamesShown = 5;
constexpr std::int64_t kCriticalDays = 7;

struct Found {
    AlarmView view;
    std::string object;  ///< With the code: the same alarm as before.
};

using List = std::vector<Found>;

void add(
    List& to,
    const char* code,
    const char* severity,
    std::string text,
    api::Params params = {},
    std::string object = {}
) {
    to.push_back({{code, severity, std::move(text), 0, std::move(params)}, std::move(object)});
}

void add_server(List& to, const Conductor& conductor) {
    if (!conductor.leader().leads())
        add(to, "not-leader", kCritical, "This server does not lead: it starts and changes nothing"
        );
    if (conductor.runs().storing_fails())
        add(to, "store-failing", kCritical, "The store takes no changes; runs stand still");
    if (const auto& outranked = conductor.outranked())
        add(to,
            "outranked",
            kCritical,
            outranked->member + " has taken orders from a server with a higher fence (" +
                wire::contract::to_string(outranked->highest) + ") and refuses ours",
            {{"member", outranked->member}});
    const auto& blind = conductor.judge().verdicts().blind;
    if (blind.is && !blind.starting)
        add(to, "blind", kCritical, "The judge is blind: " + blind.why, {{"why", blind.why}});
    if (const auto& pause = conductor.paused())
        add(to,
            "paused",
            kInfo,
            "Automation is paused by " + pause->by + ": " + pause->reason,
            {{"by", pause->by}, {"reason", pause->reason}});
}

void add_sites(List& to, const Conductor& conductor) {
    const auto& plan = conductor.config().plan;
    const auto& verdicts = conductor.judge().verdicts();
    for (std::size_t at = 0; at < plan.sites.size(); ++at) {
        const auto& name = plan.sites[at].name;
        const auto& site = verdicts.sites[at];
        const bool out = is_out(conductor.wanted_states(), name);
        if (site.state == State::failed)
            add(to, "site-failed", kCritical, "Site " + name + " has failed", {{"site", name}}, name
            );
        else if (out)
            add(to,
                "site-kept-out",
                kWarning,
                "Site " + name + " is kept out until somebody brings it back",
                {{"site", name}},
                name);
        if (site.flags.flapping)
            add(to,
                "site-flapping",
                kWarning,
                "Site " + name + " changes too often",
                {{"site", name}},
                name);
    }
    for (std::size_t at = 0; at < plan.services.size(); ++at) {
        const auto& name = plan.services[at].name;
        const auto state = verdicts.services[at].state;
        if (state == State::failed || state == State::suspect)
            add(to,
                "service-bad",
                kCritical,
                "Users of " + name + " do not get good answers",
                {{"service", name}},
                name);
    }
}

void add_members(List& to, const Conductor& conductor) {
    for (const auto& member : conductor.judge().verdicts().members) {
        const auto kind = std::string(judge::to_string(member.kind));
        const api::Params params{{"member", member.name}, {"kind", kind}, {"site", member.place}};
        if (member.state == State::failed)
            add(to,
                "member-unreachable",
                kWarning,
                kind + " " + member.name + " cannot be reached",
                params,
                member.name);
        else if (member.reachable == judge::Truth::yes && member.in_sync == judge::Truth::no)
            add(to,
                "member-out-of-sync",
                kWarning,
                kind + " " + member.name + " does not hold the wanted state",
                params,
                member.name);
    }
}

/// One alarm per site and kind: a lost site has a thousand hosts.
void add_group(
    List& to,
    const char* code,
    const std::string& words,
    const std::map<std::string, std::vector<std::string>>& names_by_site
) {
    for (const auto& [site, names] : names_by_site) {
        std::string shown;
        for (std::size_t at = 0; at < std::min(names.size(), kNamesShown); ++at)
            shown += (at == 0 ? "" : ", ") + names[at];
        if (names.size() > kNamesShown) shown += ", ...";
        const auto count = std::to_string(names.size());
        add(to,
            code,
            kWarning,
            count + " " + words + " at " + site + ": " + shown,
            {{"site", site}, {"n", count}, {"names", shown}},
            site);
    }
}

void add_hosts(List& to, const Conductor& conductor) {
    const auto& plan = conductor.config().plan;
    const auto& verdicts = conductor.judge().verdicts();
    std::map<std::string, std::vector<std::string>> silent;
    std::map<std::string, std::vector<std::string>> failed;
    std::map<std::string, std::vector<std::string>> down;
    for (std::size_t at = 0; at < verdicts.hosts.size(); ++at) {
        const auto& host = verdicts.hosts[at];
        const auto& agent = plan.agents[at];
        if (host.flags.stale)
            silent[agent.site].push_back(agent.name);
        else if (host.state == State::failed)
            failed[agent.site].push_back(agent.name);
    }
    for (const auto& process : verdicts.processes)
        if (process.state == State::failed && !process.flags.stale)
            down[plan.agents[process.host].site].push_back(
                plan.agents[process.host].name + ":" + process.name
            );
    add_group(to, "hosts-silent", "machines are silent", silent);
    add_group(to, "hosts-failed", "machines have failed", failed);
    add_group(to, "processes-down", "processes are down", down);
}

void add_scenarios(List& to, const Conductor& conductor) {
    for (const auto& [name, assessment] : conductor.assessor().all()) {
        if (assessment.verdict != VerdictWord::offered && assessment.verdict != VerdictWord::held)
            continue;
        const bool offered = assessment.verdict == VerdictWord::offered;
        add(to,
            offered ? "scenario-offered" : "scenario-held",
            offered ? kCritical : kWarning,
            "Scenario " + name + (offered ? " waits for somebody to start it" : " is held up"),
            {{"scenario", name}},
            name);
    }
    for (const auto& driven : conductor.runs().runs()) {
        const auto& run = driven.run;
        const api::Params params{
            {"run", run.id}, {"scenario", run.scenario}, {"output", run.output}
        };
        if (scenario::paused(run.state) || run.state == scenario::RunState::await_approval)
            add(to,
                "run-waits",
                kCritical,
                "Run " + run.id + " of " + run.scenario + " waits for a person: " + run.output,
                params,
                run.id);
    }
    for (const auto& [name, run] : conductor.failed_runs())
        add(to,
            "run-failed",
            kCritical,
            "Run " + run.id + " of " + name + " has failed: " + run.output,
            {{"run", run.id}, {"scenario", name}, {"output", run.output}},
            run.id);
}

void add_certificates(List& to, const std::vector<OwnCertificate>& certificates) {
    for (const auto& own : certificates) {
        if (own.days_left > base::crypto::kWarnDays) continue;
        const auto days = std::to_string(own.days_left);
        add(to,
            "certificate-expires",
            own.days_left <= kCriticalDays ? kCritical : kWarning,
            "The certificate '" + own.name + "' of this server ends in " + days + " days",
            {{"name", own.name}, {"days", days}},
            own.name);
    }
}

int rank(const std::string& severity) {
    return severity == kCritical ? 0 : severity == kWarning ? 1 : 2;
}

}  // namespace

const std::vector<AlarmView>& Alarms::look(
    const Conductor& conductor, const std::vector<OwnCertificate>& certificates
) {
    List found;
    add_server(found, conductor);
    add_sites(found, conductor);
    add_scenarios(found, conductor);
    add_members(found, conductor);
    add_hosts(found, conductor);
    add_certificates(found, certificates);
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return rank(a.view.severity) < rank(b.view.severity);
    });
    std::map<std::string, api::WallMs> since;
    alarms_.clear();
    for (auto& each : found) {
        const auto key = each.view.code + " " + each.object;
        const auto before = since_.find(key);
        each.view.since_wall = before == since_.end() ? conductor.wall_ms() : before->second;
        since[key] = each.view.since_wall;
        alarms_.push_back(std::move(each.view));
    }
    since_ = std::move(since);
    return alarms_;
}

}  // namespace twinsite::switchover
