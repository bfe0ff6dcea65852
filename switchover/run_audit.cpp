// SPDX-License-Identifier: Apache-2.0
#include "switchover/run_audit.hpp"

#include "base/text/text.hpp"

namespace twinsite::switchover {
namespace {

using scenario::RunState;
using scenario::StepState;

constexpr std::size_t kOutputBytes = 500;

std::string result_of(RunState state) {
    switch (state) {
        case RunState::failed:
        case RunState::timed_out:
        case RunState::cancelled:
        case RunState::paused_step_failed:
            return "failed";
        default:
            return "done";
    }
}

std::string result_of(StepState state) {
    switch (state) {
        case StepState::failed:
        case StepState::timed_out:
        case StepState::unknown_outcome:
            return "failed";
        default:
            return "done";
    }
}

std::string who(const scenario::Run& run) {
    return run.mode == "auto" ? "auto" : run.by;
}

}  // namespace

std::vector<store::AuditDraft> audit_of(const scenario::Run& before, const scenario::Run& after) {
    std::vector<store::AuditDraft> out;
    for (std::size_t at = 0; at < after.steps.size(); ++at) {
        const auto& step = after.steps[at];
        const bool known = at < before.steps.size();
        const auto was = known ? before.steps[at].state : StepState::pending;
        const auto operations = known ? before.steps[at].operations : 0;
        // A second try is dispatched anew without another state in between.
        if (step.state == was && step.operations == operations) continue;
        out.push_back(
            {who(after),
             "",
             "step." + base::text::to_lower(scenario::to_string(step.state)),
             after.id + "/" + step.id,
             result_of(step.state),
             step.output.substr(0, kOutputBytes)}
        );
    }
    if (after.state != before.state)
        out.push_back(
            {who(after),
             "",
             "run." + base::text::to_lower(scenario::to_string(after.state)),
             after.id,
             result_of(after.state),
             after.output.substr(0, kOutputBytes)}
        );
    return out;
}

}  // namespace twinsite::switchover
