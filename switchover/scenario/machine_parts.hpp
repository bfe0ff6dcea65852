// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "switchover/scenario/machine.hpp"

/// The parts of `step`, for its own files.
namespace twinsite::switchover::scenario {

/// What one transition works on.
struct Work {
    const Scenario& scenario;
    Run& run;
    Moment now;
    std::vector<Effect>& effects;
    const std::string& hold;  ///< Of the event.

    const Step& plan(const StepRun& at) const {
        return scenario.steps[static_cast<std::size_t>(&at - run.steps.data())];
    }
};

/// How long a check that should hold already is looked at before it counts as failed: members are
/// asked once a second.
inline constexpr Milliseconds kLook{2'000};
/// The machine's own time-outs come this much later than those it gives along, so that the answer
/// that says what failed comes first.
inline constexpr std::int64_t kGraceMs = 1'000;

/// At most `longest` bytes of valid UTF-8 without control characters but line ends and tabs.
std::string clean_text(std::string_view text, std::size_t longest);
void warn(Run& run, const std::string& text);
/// Those that no override of the run names.
std::vector<Expression> not_overridden(const Run& run, const std::vector<Expression>& checks);
Effect make_check(
    const std::string& op_id,
    const std::string& step,
    std::vector<Expression> checks,
    Milliseconds limit,
    Milliseconds hold
);

// step_work.cpp: one step
bool at_work(const StepRun& at);
bool failed_for_good(const StepRun& at);
bool settled(const Work& work, const StepRun& at);
void begin_attempt(Work& work, StepRun& at);
void take_step_check(Work& work, StepRun& at, const Event& event);
void take_target_result(Work& work, StepRun& at, TargetRun& target, const Event& event);
void step_time_passed(Work& work, StepRun& at);
void answer_human(Work& work, StepRun& at, bool yes, const std::string& who);
/// Cancels what is under way; the step is over.
void stop_step(Work& work, StepRun& at);
void begin_undo(Work& work, StepRun& at);
/// Asks again for all that was under way.
void restore_step(Work& work, StepRun& at);

// machine.cpp: the run
void step_failed(Work& work, StepRun& at);
void begin_rollback(Work& work, bool cancelling);
void next_undo(Work& work);
/// Where a step would begin while none may.
void pause_held(Work& work);

}  // namespace twinsite::switchover::scenario
