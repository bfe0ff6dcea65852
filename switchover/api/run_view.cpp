// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/run_view.hpp"

#include <algorithm>

#include "switchover/scenario/run.hpp"
#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover::api {
namespace {

Title title_of(const scenario::Text& text) {
    return {text.en, text.zh};
}

StepView step_view(const scenario::StepRun& step, const scenario::Step* plan) {
    StepView out;
    out.id = step.id;
    out.title = plan && !plan->title.en.empty() ? title_of(plan->title) : Title{step.id, step.id};
    if (plan) {
        out.action = plan->human ? "human" : plan->act.name;
        out.needs = plan->needs;
    }
    out.state = scenario::to_string(step.state);
    out.tries = step.tries;
    out.started_wall = step.started_wall;
    out.ended_wall = step.ended_wall;
    out.output = step.output;
    for (const auto& target : step.targets)
        out.targets.push_back({target.name, scenario::to_string(target.state), target.output});
    return out;
}

void add_rto(RunView& out) {
    const auto& marks = out.marks;
    if (!marks.r0_wall || !marks.r5_wall) return;
    const auto rto = std::max<WallMs>(0, *marks.r5_wall - *marks.r0_wall);
    out.rto_ms = static_cast<std::uint64_t>(rto);
    // Users who were served again before the first step did not wait for a person.
    const auto human = out.health_alone ? 0 : out.human_wait_ms;
    out.rto_without_human_ms = *out.rto_ms - std::min(*out.rto_ms, human);
    if (out.rto_target_ms > 0) out.rto_ok = *out.rto_ms <= out.rto_target_ms;
}

}  // namespace

RunView view_of(const scenario::Run& run, const scenario::Scenario* scenario) {
    RunView out;
    out.id = run.id;
    out.scenario = run.scenario;
    out.title = {run.scenario, run.scenario};
    out.kind = "other";
    if (scenario) {
        if (!scenario->title.en.empty()) out.title = title_of(scenario->title);
        out.kind = scenario::to_string(scenario->kind);
        if (scenario->rto_target)
            out.rto_target_ms = static_cast<std::uint64_t>(scenario->rto_target->count());
    }
    out.state = scenario::to_string(run.state);
    out.mode = run.mode;
    out.by = run.by;
    out.reason = run.reason;
    out.started_wall = run.started_wall.value_or(run.seen.wall);
    out.ended_wall = run.ended_wall;
    out.fence.generation = run.fence_generation;
    out.fence.revision = run.fence_revision;
    out.marks = {
        run.marks[0], run.marks[1], run.marks[2], run.marks[3], run.marks[4], run.marks[5]
    };
    out.human_wait_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.human_wait_ms));
    out.health_alone = run.health_alone;
    for (const auto& step : run.steps)
        out.steps.push_back(step_view(step, scenario ? scenario->find_step(step.id) : nullptr));
    out.warnings = run.warnings;
    out.hash = run.hash;
    out.output = run.output;
    add_rto(out);
    return out;
}

RunView without_steps(RunView run) {
    run.steps.clear();
    return run;
}

}  // namespace twinsite::switchover::api
