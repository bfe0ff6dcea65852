// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "switchover/scenario/machine.hpp"

namespace twinsite::switchover::scenario {

namespace {

bool open(const TargetRun& target) {
    return target.state == StepState::dispatched || target.state == StepState::running;
}

bool phase_fits(const Step& plan, const StepRun& at) {
    const bool waits = plan.act.name == "wait";
    switch (at.phase) {
        case Phase::none:
            return at.check_op.empty();
        case Phase::backoff:
            return !plan.human;
        case Phase::human:
            return plan.human.has_value();
        case Phase::wait:
            return waits;
        case Phase::act:
            return !plan.human && !waits;
        case Phase::undo:
            return plan.undo.has_value();
        case Phase::pre:
        case Phase::post:
            return !plan.human && !at.check_op.empty();
    }
    return false;
}

bool step_fits(const Step& plan, const StepRun& at) {
    if (plan.id != at.id || at.targets.size() != std::max<std::size_t>(1, plan.targets.size()))
        return false;
    for (std::size_t i = 0; i < plan.targets.size(); ++i)
        if (plan.targets[i] != at.targets[i].name) return false;
    const bool works = at.phase != Phase::none;
    const bool says_so = at.state == StepState::dispatched || at.state == StepState::running;
    if (works != says_so || works != (at.deadline != 0) || !phase_fits(plan, at)) return false;
    const bool may_be_open = at.phase == Phase::act || at.phase == Phase::undo;
    return may_be_open || std::none_of(at.targets.begin(), at.targets.end(), open);
}

bool run_fits(const Run& run) {
    const bool checks = run.state == RunState::precheck || run.state == RunState::verifying;
    const bool timed = checks || run.state == RunState::await_approval;
    const bool steps_work =
        run.state == RunState::running || paused(run.state) || run.state == RunState::rolling_back;
    if (checks == run.check_op.empty() || timed != (run.deadline != 0)) return false;
    return steps_work || std::all_of(run.steps.begin(), run.steps.end(), [](const StepRun& at) {
               return at.phase == Phase::none;
           });
}

}  // namespace

bool fits(const Scenario& scenario, const Run& run) {
    if (scenario.name != run.scenario || scenario.steps.size() != run.steps.size()) return false;
    for (std::size_t i = 0; i < run.steps.size(); ++i)
        if (!step_fits(scenario.steps[i], run.steps[i])) return false;
    return run_fits(run);
}

}  // namespace twinsite::switchover::scenario
