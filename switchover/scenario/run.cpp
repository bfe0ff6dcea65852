// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/run.hpp"

#include <algorithm>

namespace twinsite::switchover::scenario {

namespace {

constexpr std::array kRunStates{
    RunState::draft,
    RunState::precheck,
    RunState::await_approval,
    RunState::running,
    RunState::paused_step_failed,
    RunState::paused_operator,
    RunState::rolling_back,
    RunState::verifying,
    RunState::succeeded,
    RunState::succeeded_warn,
    RunState::failed,
    RunState::cancelled,
    RunState::timed_out,
};
constexpr std::array kStepStates{
    StepState::pending,
    StepState::skipped,
    StepState::dispatched,
    StepState::running,
    StepState::ok,
    StepState::failed,
    StepState::timed_out,
    StepState::unknown_outcome,
    StepState::rolled_back,
};
constexpr std::array kPhases{
    Phase::none,
    Phase::pre,
    Phase::act,
    Phase::post,
    Phase::backoff,
    Phase::human,
    Phase::wait,
    Phase::undo,
};

template <class Value, std::size_t kCount>
std::optional<Value> parse_word(const std::array<Value, kCount>& values, const std::string& text) {
    for (const auto value : values)
        if (text == to_string(value)) return value;
    return std::nullopt;
}

}  // namespace

const StepRun* Run::find_step(const std::string& step) const {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const StepRun& s) { return s.id == step; });
    return found == steps.end() ? nullptr : &*found;
}

bool ended(RunState state) {
    return state >= RunState::succeeded;
}
bool paused(RunState state) {
    return state == RunState::paused_step_failed || state == RunState::paused_operator;
}

const char* to_string(RunState state) {
    switch (state) {
        case RunState::draft:
            return "DRAFT";
        case RunState::precheck:
            return "PRECHECK";
        case RunState::await_approval:
            return "AWAIT_APPROVAL";
        case RunState::running:
            return "RUNNING";
        case RunState::paused_step_failed:
            return "PAUSED_STEP_FAILED";
        case RunState::paused_operator:
            return "PAUSED_OPERATOR";
        case RunState::rolling_back:
            return "ROLLING_BACK";
        case RunState::verifying:
            return "VERIFYING";
        case RunState::succeeded:
            return "SUCCEEDED";
        case RunState::succeeded_warn:
            return "SUCCEEDED_WARN";
        case RunState::failed:
            return "FAILED";
        case RunState::cancelled:
            return "CANCELLED";
        case RunState::timed_out:
            return "TIMED_OUT";
    }
    return "";
}

const char* to_string(StepState state) {
    switch (state) {
        case StepState::pending:
            return "PENDING";
        case StepState::skipped:
            return "SKIPPED";
        case StepState::dispatched:
            return "DISPATCHED";
        case StepState::running:
            return "RUNNING";
        case StepState::ok:
            return "OK";
        case StepState::failed:
            return "FAILED";
        case StepState::timed_out:
            return "TIMED_OUT";
        case StepState::unknown_outcome:
            return "UNKNOWN_OUTCOME";
        case StepState::rolled_back:
            return "ROLLED_BACK";
    }
    return "";
}

const char* to_string(Phase phase) {
    switch (phase) {
        case Phase::none:
            return "none";
        case Phase::pre:
            return "pre";
        case Phase::act:
            return "act";
        case Phase::post:
            return "post";
        case Phase::backoff:
            return "backoff";
        case Phase::human:
            return "human";
        case Phase::wait:
            return "wait";
        case Phase::undo:
            return "undo";
    }
    return "";
}

std::optional<RunState> parse_run_state(const std::string& text) {
    return parse_word(kRunStates, text);
}
std::optional<StepState> parse_step_state(const std::string& text) {
    return parse_word(kStepStates, text);
}
std::optional<Phase> parse_phase(const std::string& text) {
    return parse_word(kPhases, text);
}

std::int64_t human_wait_ms(const Run& run, std::int64_t mono_now) {
    const auto open =
        run.paused_since != 0 ? std::max<std::int64_t>(0, mono_now - run.paused_since) : 0;
    return run.human_wait_ms + open;
}

Rto rto_of(const Run& run) {
    Rto out;
    if (!run.marks[0] || !run.marks[5]) return out;
    out.rto_ms = std::max<std::int64_t>(0, *run.marks[5] - *run.marks[0]);
    out.rto_without_human_ms = std::max<std::int64_t>(0, *out.rto_ms - run.human_wait_ms);
    return out;
}

}  // namespace twinsite::switchover::scenario
