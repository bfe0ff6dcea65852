// SPDX-License-Identifier: Apache-2.0
#include "switchover/server_metrics.hpp"

#include <algorithm>
#include <string>

#include "base/metrics/openmetrics.hpp"
#include "switchover/conductor.hpp"

namespace twinsite::switchover {
namespace {

using base::metrics::Type;
using base::metrics::Writer;

std::uint64_t as_number(bool value) {
    return value ? 1 : 0;
}

void one(Writer& out, std::string_view name, std::string_view help, std::uint64_t value) {
    out.family(name, Type::gauge, help);
    out.sample(value);
}

void write_server(Writer& out, const Conductor& conductor, const ServerFacts& facts) {
    const auto& plan = conductor.config().plan;
    out.family("twinsite_switchover_build", Type::info, "the program");
    out.sample(
        {{"version", TWINSITE_VERSION}, {"node", plan.node}, {"site", plan.site}}, std::uint64_t{1}
    );
    one(out, "twinsite_switchover_ready", "1 when the server can act", as_number(facts.ready));
    one(out, "twinsite_switchover_uptime_seconds", "since the start", facts.uptime_s);
    const bool leads = conductor.leader().leads();
    one(out, "twinsite_switchover_leader", "1 when this server leads", as_number(leads));
    const auto fence = leads ? conductor.leader().fence() : store::Fence{};
    one(out, "twinsite_switchover_fence_generation", "of the leadership", fence.generation);
    one(out, "twinsite_switchover_fence_revision", "of the leadership", fence.revision);
    out.family("twinsite_switchover_connections", Type::gauge, "open connections by port");
    out.sample({{"port", "machine"}}, std::uint64_t{facts.machine_connections});
    out.sample({{"port", "console"}}, std::uint64_t{facts.console_connections});
    one(out, "twinsite_switchover_alarms", "alarms that stand", facts.alarms);
    out.family("twinsite_switchover_history_writes", Type::counter, "measurements by result");
    out.sample({{"result", "written"}}, facts.history.written);
    out.sample({{"result", "dropped"}}, facts.history.dropped);
    out.family("twinsite_switchover_history_errors", Type::counter, "failed writes of the history");
    out.sample(facts.history.errors);
}

void write_states(
    Writer& out, std::string_view label, const std::string& name, const judge::Verdict& verdict
) {
    for (const auto state : judge::kAllStates)
        out.sample(
            {{label, name}, {"state", judge::to_string(state)}}, as_number(verdict.state == state)
        );
}

void write_judge(Writer& out, const Conductor& conductor) {
    const auto& plan = conductor.config().plan;
    const auto& verdicts = conductor.judge().verdicts();
    one(out, "twinsite_switchover_blind", "1 while the judge is blind", as_number(verdicts.blind.is)
    );
    out.family("twinsite_switchover_site_state", Type::gauge, "1 for the state of the site");
    for (std::size_t at = 0; at < std::min(plan.sites.size(), verdicts.sites.size()); ++at)
        write_states(out, "site", plan.sites[at].name, verdicts.sites[at]);
    out.family("twinsite_switchover_site_votes", Type::gauge, "outside observers that see it down");
    for (std::size_t at = 0; at < std::min(plan.sites.size(), verdicts.sites.size()); ++at)
        out.sample(
            {{"site", plan.sites[at].name}}, std::uint64_t{verdicts.sites[at].evidence.have}
        );
    out.family("twinsite_switchover_site_kept_out", Type::gauge, "1 while it is kept out");
    for (const auto& site : plan.sites)
        out.sample({{"site", site.name}}, as_number(is_out(conductor.wanted_states(), site.name)));
    out.family("twinsite_switchover_member_state", Type::gauge, "1 for the state of the member");
    for (const auto& member : verdicts.members) write_states(out, "member", member.name, member);
    out.family("twinsite_switchover_service_good", Type::gauge, "1 when users get good answers");
    for (std::size_t at = 0; at < std::min(plan.services.size(), verdicts.services.size()); ++at)
        out.sample(
            {{"service", plan.services[at].name}},
            as_number(verdicts.services[at].good == judge::Truth::yes)
        );
}

void write_scenarios(Writer& out, const Conductor& conductor) {
    one(out,
        "twinsite_switchover_paused",
        "1 while automation is paused",
        as_number(conductor.paused().has_value()));
    out.family("twinsite_switchover_scenario_firing", Type::gauge, "1 while the trigger holds");
    for (const auto& [name, assessment] : conductor.assessor().all())
        out.sample({{"scenario", name}}, as_number(assessment.firing));
    out.family("twinsite_switchover_scenario_mode", Type::gauge, "1 for the mode in force");
    for (const auto& [name, assessment] : conductor.assessor().all())
        for (const auto mode :
             {scenario::Mode::automatic, scenario::Mode::semi, scenario::Mode::off})
            out.sample(
                {{"scenario", name}, {"mode", scenario::to_string(mode)}},
                as_number(assessment.effective == mode)
            );
    std::uint64_t active = 0;
    for (const auto& driven : conductor.runs().runs())
        active += as_number(!scenario::ended(driven.run.state));
    one(out, "twinsite_switchover_runs_active", "runs that have not ended", active);
    const auto& counters = conductor.counters();
    out.family("twinsite_switchover_runs_begun", Type::counter, "runs since the start");
    out.sample(counters.begun);
    out.family("twinsite_switchover_runs_ended", Type::counter, "runs that ended, by result");
    out.sample({{"result", "succeeded"}}, counters.succeeded);
    out.sample({{"result", "failed"}}, counters.failed);
}

}  // namespace

void write_server_metrics(
    base::metrics::Writer& out, const Conductor& conductor, const ServerFacts& facts
) {
    write_server(out, conductor, facts);
    write_judge(out, conductor);
    write_scenarios(out, conductor);
}

}  // namespace twinsite::switchover
