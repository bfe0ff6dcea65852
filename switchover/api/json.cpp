// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include <boost/json.hpp>

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;

/// A brief run's outputs end here, at a character's start.
constexpr std::size_t kBriefBytes = 1'024;

using switchover::api::to_json;
// Declared first, as `list` looks for them where it stands.
json::object to_json(const VoteView& vote);
json::object to_json(const MemberView& member);
json::object to_json(const ProblemView& problem);
json::object to_json(const SiteView& site);
json::object to_json(const ServiceViewpoint& view);
json::object to_json(const ServiceView& service);

template <class Value>
json::value or_null(const std::optional<Value>& value) {
    if (!value) return nullptr;
    return json::value_from(*value);
}

json::value wall_or_null(const std::optional<WallMs>& wall) {
    if (!wall) return nullptr;
    return json::value(format_wall(*wall));
}

template <class Item>
json::array list(const std::vector<Item>& items) {
    json::array out;
    out.reserve(items.size());
    for (const auto& item : items) out.push_back(to_json(item));
    return out;
}

json::array texts(const Texts& items) {
    json::array out;
    for (const auto& item : items) out.push_back(json::value(item));
    return out;
}

json::object title(const Title& from) {
    return {{"en", from.en}, {"zh", from.zh.empty() ? from.en : from.zh}};
}

json::object params(const Params& from) {
    json::object out;
    for (const auto& [key, value] : from) out[key] = value;
    return out;
}

json::object fence(const wire::contract::Fence& from) {
    return {{"generation", from.generation}, {"revision", from.revision}};
}

std::string_view cut(const std::string& text, Detail detail) {
    if (detail == Detail::full || text.size() <= kBriefBytes) return text;
    auto end = kBriefBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string_view(text).substr(0, end);
}

json::object to_json(const VoteView& vote) {
    return {{"observer", vote.observer}, {"sees", vote.sees}, {"age_ms", or_null(vote.age_ms)}};
}

json::object to_json(const MemberView& member) {
    return {
        {"name", member.name},
        {"kind", member.kind},
        {"reachable", member.reachable},
        {"age_ms", or_null(member.age_ms)},
        {"in_sync", or_null(member.in_sync)},
        {"detail", member.detail},
    };
}

json::object to_json(const ProblemView& problem) {
    return {{"code", problem.code}, {"text", problem.text}, {"params", params(problem.params)}};
}

json::object to_json(const SiteView& site) {
    return {
        {"name", site.name},
        {"title", title(site.title)},
        {"state", site.state},
        {"since_wall", format_wall(site.since_wall)},
        {"flags", texts(site.flags)},
        {"desired", site.desired},
        {"serving", site.serving},
        {"agents",
         json::object{
             {"ok", site.agents_ok}, {"stale", site.agents_stale}, {"total", site.agents_total}
         }},
        {"evidence",
         json::object{
             {"local", site.evidence.local},
             {"votes", list(site.evidence.votes)},
             {"need", site.evidence.need},
             {"have", site.evidence.have},
         }},
        {"members", list(site.members)},
        {"problems", list(site.problems)},
    };
}

json::object to_json(const ServiceViewpoint& view) {
    return {
        {"view", view.view},
        {"ok", view.ok},
        {"age_ms", or_null(view.age_ms)},
        {"latency_ms", view.latency_ms},
        {"detail", view.detail},
    };
}

json::object to_json(const ServiceView& service) {
    return {
        {"name", service.name},
        {"title", title(service.title)},
        {"good", service.good},
        {"last_good_wall", wall_or_null(service.last_good_wall)},
        {"age_ms", or_null(service.age_ms)},
        {"views", list(service.views)},
    };
}

json::value pause_or_null(const std::optional<PauseView>& pause) {
    if (!pause) return nullptr;
    return json::object{
        {"by", pause->by},
        {"reason", pause->reason},
        {"since_wall", format_wall(pause->since_wall)},
        {"until_wall", wall_or_null(pause->until_wall)},
    };
}

json::object step(const StepView& view, Detail detail) {
    json::array targets;
    for (const auto& target : view.targets)
        targets.push_back(json::object{
            {"name", target.name},
            {"state", target.state},
            {"output", cut(target.output, detail)},
        });
    return {
        {"id", view.id},
        {"title", title(view.title)},
        {"action", view.action},
        {"state", view.state},
        {"tries", view.tries},
        {"started_wall", wall_or_null(view.started_wall)},
        {"ended_wall", wall_or_null(view.ended_wall)},
        {"output", cut(view.output, detail)},
        {"needs", texts(view.needs)},
        {"targets", targets},
    };
}

}  // namespace

std::string format_wall(WallMs wall_ms) {
    constexpr WallMs kLast = 253'402'300'799'999;  // the end of the year 9999
    wall_ms = std::clamp<WallMs>(wall_ms, 0, kLast);
    const auto seconds = static_cast<std::time_t>(wall_ms / 1'000);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> out{};
    const auto size = std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 8> rest{};
    std::snprintf(rest.data(), rest.size(), ".%03dZ", static_cast<int>(wall_ms % 1'000));
    return std::string(out.data(), size) + rest.data();
}

json::object to_json(const GateView& gate) {
    return {
        {"code", gate.code},
        {"ok", gate.ok},
        {"have", gate.have},
        {"need", gate.need},
        {"age_ms", or_null(gate.age_ms)},
        {"source", gate.source},
        {"text", gate.text},
    };
}

json::array to_json(const std::vector<GateView>& gates) {
    return list(gates);
}

json::object to_json(const AlarmView& alarm) {
    return {
        {"code", alarm.code},
        {"severity", alarm.severity},
        {"text", alarm.text},
        {"since_wall", format_wall(alarm.since_wall)},
        {"params", params(alarm.params)},
    };
}

json::object to_json(const ScenarioSummary& view) {
    return {
        {"name", view.name},
        {"title", title(view.title)},
        {"mode", view.mode},
        {"effective_mode", view.effective_mode},
        {"site", view.site},
        {"kind", view.kind},
        {"firing", view.firing},
        {"verdict", view.verdict},
        {"blocked_by", texts(view.blocked_by)},
        {"worst_case_s", view.worst_case_s},
        {"rto_target_s", view.rto_target_s},
        {"hash", view.hash},
    };
}

json::object to_json(const ScenarioDetail& view) {
    auto out = to_json(view.summary);
    out["source"] = view.source;
    out["lint"] = texts(view.lint);
    return out;
}

json::object to_json(const WhyView& view) {
    return {
        {"scenario", view.scenario},
        {"title", title(view.title)},
        {"mode", view.mode},
        {"effective_mode", view.effective_mode},
        {"firing", view.firing},
        {"verdict", view.verdict},
        {"text", title(view.text)},
        {"gates", list(view.gates)},
        {"trigger", list(view.trigger)},
        {"require", list(view.require)},
    };
}

json::object to_json(const RunView& view, Detail detail) {
    json::object out{
        {"id", view.id},
        {"scenario", view.scenario},
        {"title", title(view.title)},
        {"kind", view.kind},
        {"state", view.state},
        {"mode", view.mode},
        {"by", view.by},
        {"reason", view.reason},
        {"started_wall", format_wall(view.started_wall)},
        {"ended_wall", wall_or_null(view.ended_wall)},
        {"fence", fence(view.fence)},
        {"marks",
         json::object{
             {"r0_wall", wall_or_null(view.marks.r0_wall)},
             {"r1_wall", wall_or_null(view.marks.r1_wall)},
             {"r2_wall", wall_or_null(view.marks.r2_wall)},
             {"r3_wall", wall_or_null(view.marks.r3_wall)},
             {"r4_wall", wall_or_null(view.marks.r4_wall)},
             {"r5_wall", wall_or_null(view.marks.r5_wall)},
         }},
        {"rto_ms", or_null(view.rto_ms)},
        {"rto_without_human_ms", or_null(view.rto_without_human_ms)},
        {"human_wait_ms", view.human_wait_ms},
        {"health_alone", view.health_alone},
        {"rto_target_ms", view.rto_target_ms},
        {"rto_ok", or_null(view.rto_ok)},
        {"warnings", texts(view.warnings)},
        {"output", cut(view.output, detail)},
        {"hash", view.hash},
    };
    if (detail == Detail::summary) return out;
    json::array steps;
    for (const auto& one : view.steps) steps.push_back(step(one, detail));
    out["steps"] = std::move(steps);
    return out;
}

json::object to_json(const OverviewView& view, WallMs now) {
    json::array active;
    for (const auto& run : view.active_runs) active.push_back(to_json(run, Detail::summary));
    json::object runs{{"active", std::move(active)}, {"last", nullptr}};
    if (view.last_run) runs["last"] = to_json(*view.last_run, Detail::summary);
    return {
        {"server",
         json::object{
             {"node", view.server.node},
             {"site", view.server.site},
             {"version", TWINSITE_VERSION},
             {"leader", view.server.leader},
             {"fence", fence(view.server.fence)},
             {"uptime_s", view.server.uptime_s},
             {"wall", format_wall(now)},
         }},
        {"pause", pause_or_null(view.pause)},
        {"blind", json::object{{"is", view.blind.is}, {"why", view.blind.why}}},
        {"sites", list(view.sites)},
        {"services", list(view.services)},
        {"scenarios", list(view.scenarios)},
        {"runs", std::move(runs)},
        {"alarms", list(view.alarms)},
    };
}

json::object to_json(const store::AuditEntry& entry) {
    return {
        {"seq", entry.seq},
        {"wall", format_wall(entry.wall_ms)},
        {"who", entry.who},
        {"from", entry.from},
        {"action", entry.action},
        {"object", entry.object},
        {"result", entry.result},
        {"detail", entry.detail},
        {"hash", entry.hash},
    };
}

}  // namespace twinsite::switchover::api
