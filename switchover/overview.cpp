// SPDX-License-Identifier: Apache-2.0
#include "switchover/overview.hpp"

#include <algorithm>
#include <chrono>

#include "switchover/conductor.hpp"

namespace twinsite::switchover {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::uint64_t age_of(const Conductor& conductor, model::Time at) {
    const auto age = duration_cast<milliseconds>(conductor.now() - at).count();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, age));
}

std::optional<std::uint64_t> age_of(const Conductor& conductor, std::optional<model::Time> at) {
    if (!at) return std::nullopt;
    return age_of(conductor, *at);
}

api::Texts words_of(const judge::Flags& flags) {
    api::Texts out;
    if (flags.stale) out.emplace_back("stale");
    if (flags.flapping) out.emplace_back("flapping");
    if (flags.maint) out.emplace_back("maint");
    if (flags.blind) out.emplace_back("blind");
    return out;
}

api::GateView view_of(const model::Gate& gate) {
    return {gate.code, gate.ok, gate.have, gate.need, gate.age_ms, gate.source, gate.text};
}

std::vector<api::GateView> views_of(const std::vector<model::Gate>& gates) {
    std::vector<api::GateView> out;
    for (const auto& gate : gates) out.push_back(view_of(gate));
    return out;
}

api::EvidenceView evidence_view(const Conductor& conductor, const judge::Evidence& evidence) {
    api::EvidenceView out;
    out.local = judge::to_string(evidence.local);
    for (const auto& vote : evidence.votes)
        out.votes.push_back(
            {vote.observer,
             std::string(judge::to_string(vote.sees)),
             age_of(conductor, vote.measured)}
        );
    out.need = evidence.need;
    out.have = evidence.have;
    return out;
}

const execute::MemberView* find_view(
    const std::vector<execute::MemberView>& members, const std::string& name
) {
    for (const auto& member : members)
        if (member.member.name == name) return &member;
    return nullptr;
}

api::MemberView member_view(
    const Conductor& conductor,
    const judge::MemberVerdict& verdict,
    const std::vector<execute::MemberView>& members
) {
    api::MemberView out;
    out.name = verdict.name;
    out.kind = judge::to_string(verdict.kind);
    out.reachable = verdict.reachable == judge::Truth::yes;
    out.age_ms = age_of(conductor, verdict.heard);
    if (verdict.kind != judge::MemberKind::monitor && verdict.in_sync != judge::Truth::unknown)
        out.in_sync = verdict.in_sync == judge::Truth::yes;
    if (const auto* view = find_view(members, verdict.name)) out.detail = view->detail;
    return out;
}

std::string desired_of(const Conductor& conductor, const std::string& site) {
    for (const auto& wanted : conductor.wanted_states())
        if (wanted.receiver == "gslb" && wanted.object == "site:" + site) return wanted.state;
    return "in";
}

bool answered(const std::vector<execute::MemberView>& members, const std::string& site) {
    for (const auto& member : members)
        if (member.reachable)
            for (const auto& view : member.sites)
                if (view.site == site && view.answering) return true;
    return false;
}

/// Gates that stand in the way of starting it, as codes, each once.
api::Texts blocking_codes(const Assessment& assessment, scenario::Kind kind) {
    const auto gates = assessment.effective == scenario::Mode::automatic
                           ? Assessor::against_auto(assessment)
                           : Assessor::against_person(assessment, kind);
    api::Texts out;
    for (const auto* gate : gates)
        if (std::find(out.begin(), out.end(), gate->code) == out.end()) out.push_back(gate->code);
    return out;
}

}  // namespace

api::WallMs to_wall(const Conductor& conductor, model::Time at) {
    return conductor.wall_ms() - static_cast<api::WallMs>(age_of(conductor, at));
}

std::vector<api::SiteView> site_views(
    const Conductor& conductor, const std::vector<execute::MemberView>& members
) {
    const auto& plan = conductor.config().plan;
    const auto& verdicts = conductor.judge().verdicts();
    std::vector<api::SiteView> out;
    for (std::size_t at = 0; at < plan.sites.size() && at < verdicts.sites.size(); ++at) {
        const auto& site = plan.sites[at];
        const auto& verdict = verdicts.sites[at];
        api::SiteView view;
        view.name = site.name;
        view.title = {site.title.en, site.title.zh};
        view.state = judge::to_string(verdict.state);
        view.since_wall = to_wall(conductor, verdict.since);
        view.flags = words_of(verdict.flags);
        view.desired = desired_of(conductor, site.name);
        view.serving = answered(members, site.name);
        view.agents_ok = verdict.agents_ok;
        view.agents_stale = verdict.agents_stale;
        view.agents_total = verdict.agents_total;
        view.evidence = evidence_view(conductor, verdict.evidence);
        for (const auto& member : verdicts.members)
            if (member.place == site.name)
                view.members.push_back(member_view(conductor, member, members));
        for (const auto& gate : conductor.judge().problems(at))
            view.problems.push_back(
                {gate.code,
                 gate.text,
                 {{"have", gate.have}, {"need", gate.need}, {"source", gate.source}}}
            );
        out.push_back(std::move(view));
    }
    return out;
}

std::vector<api::ServiceView> service_views(const Conductor& conductor) {
    const auto& plan = conductor.config().plan;
    const auto& verdicts = conductor.judge().verdicts();
    std::vector<api::ServiceView> out;
    for (std::size_t at = 0; at < plan.services.size() && at < verdicts.services.size(); ++at) {
        const auto& verdict = verdicts.services[at];
        api::ServiceView view;
        view.name = plan.services[at].name;
        view.title = {plan.services[at].title.en, plan.services[at].title.zh};
        view.good = verdict.good == judge::Truth::yes;
        if (verdict.last_good) view.last_good_wall = to_wall(conductor, *verdict.last_good);
        view.age_ms = age_of(conductor, verdict.last_good);
        for (const auto& seen : verdict.views)
            view.views.push_back(
                {seen.view, seen.ok, age_of(conductor, seen.measured), 0, seen.observer}
            );
        out.push_back(std::move(view));
    }
    return out;
}

api::ScenarioSummary summary_of(const BookEntry& entry, const Assessment& assessment) {
    const auto& scenario = entry.scenario;
    const auto seconds = [](scenario::Milliseconds duration) {
        return static_cast<std::uint64_t>((duration.count() + 999) / 1000);
    };
    api::ScenarioSummary out;
    out.name = scenario.name;
    out.title = {scenario.title.en, scenario.title.zh};
    out.mode = scenario::to_string(assessment.mode);
    out.effective_mode = scenario::to_string(assessment.effective);
    out.site = scenario.site;
    out.kind = scenario::to_string(scenario.kind);
    out.firing = assessment.firing;
    out.verdict = to_string(assessment.verdict);
    out.blocked_by = blocking_codes(assessment, scenario.kind);
    out.worst_case_s = seconds(entry.lint.worst_case);
    if (scenario.rto_target) out.rto_target_s = seconds(*scenario.rto_target);
    out.hash = entry.hash;
    return out;
}

api::WhyView why_of(const BookEntry& entry, const Assessment& assessment) {
    api::WhyView out;
    out.scenario = entry.scenario.name;
    out.title = {entry.scenario.title.en, entry.scenario.title.zh};
    out.mode = scenario::to_string(assessment.mode);
    out.effective_mode = scenario::to_string(assessment.effective);
    out.firing = assessment.firing;
    out.verdict = to_string(assessment.verdict);
    out.gates = views_of(assessment.gates);
    out.trigger = views_of(assessment.trigger);
    out.require = views_of(assessment.require);
    return out;
}

api::BlindView blind_view(const Conductor& conductor) {
    const auto& blind = conductor.judge().verdicts().blind;
    return {blind.is, blind.why};
}

std::optional<api::PauseView> pause_view(const Conductor& conductor) {
    const auto& pause = conductor.paused();
    if (!pause) return std::nullopt;
    return api::PauseView{pause->by, pause->reason, pause->since_wall_ms, pause->until_wall_ms};
}

}  // namespace twinsite::switchover
