// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover::scenario {

enum class RunState {
    draft,
    precheck,
    await_approval,
    running,
    paused_step_failed,
    paused_operator,
    rolling_back,
    verifying,
    succeeded,
    succeeded_warn,
    failed,
    cancelled,
    timed_out,
};
enum class StepState {
    pending,
    skipped,
    dispatched,  ///< The intent is written; nothing is known of the action yet.
    running,
    ok,
    failed,
    timed_out,
    unknown_outcome,  ///< It was begun, and nobody can say how it ended. Never tried again by
                      ///< itself.
    rolled_back,
};
/// What a step that is at work is doing.
enum class Phase { none, pre, act, post, backoff, human, wait, undo };

/// A moment on both clocks, in ms: `mono` for intervals (of this process only), `wall` for people
/// and across restarts (unix time).
struct Moment {
    std::int64_t mono = 0;
    std::int64_t wall = 0;
    bool operator==(const Moment&) const = default;
};

/// One target of a step; a step without `each` has one, with an empty name.
struct TargetRun {
    std::string name;
    StepState state = StepState::pending;
    std::string op_id;  ///< Of the present or last operation. Kept when a try timed out.
    std::string output;
    bool operator==(const TargetRun&) const = default;
};

struct StepRun {
    std::string id;
    StepState state = StepState::pending;
    Phase phase = Phase::none;
    unsigned attempt = 0;       ///< Of the present round of tries, from 1.
    unsigned tries = 0;         ///< Of all rounds: a retry by a person begins a new round.
    unsigned operations = 0;    ///< Counts up for operation ids.
    std::string check_op;       ///< The check that is under way.
    std::int64_t deadline = 0;  ///< mono ms of the phase or try; 0: none.
    std::optional<std::int64_t> started_wall;
    std::optional<std::int64_t> ended_wall;
    unsigned finished = 0;  ///< The n-th step of the run to be done, from 1; for undoing.
    std::string output;
    std::vector<TargetRun> targets;
    bool operator==(const StepRun&) const = default;
};

struct Override {
    std::string rule;
    std::string reason;
    bool operator==(const Override&) const = default;
};

/// One run of a scenario: the whole state of the machine, so that any server can go on with it.
struct Run {
    std::string id;  ///< [a-z0-9-]{1,24}
    std::string scenario;
    std::string hash;  ///< Of the scenario's text.
    std::string variant;
    std::string mode;  ///< How it was started: auto | manual
    std::string by;
    std::string reason;
    std::vector<Override> overrides;
    std::uint64_t fence_generation = 0;
    std::uint64_t fence_revision = 0;

    RunState state = RunState::draft;
    bool approved = false;            ///< By a click or by the start itself.
    bool cancelling = false;          ///< ROLLING_BACK ends as CANCELLED, else as FAILED.
    bool undoing = false;             ///< PAUSED_OPERATOR between two steps that are undone.
    unsigned checks = 0;              ///< Counts up for the ids of checks of the run.
    std::string check_op;             ///< The run's own check (require, verify) under way.
    std::int64_t deadline = 0;        ///< mono ms: approval or verification.
    std::int64_t limit_deadline = 0;  ///< mono ms: the whole run.
    std::int64_t paused_since = 0;    ///< mono ms: waiting for a person; 0: it is not.
    std::int64_t human_wait_ms = 0;
    std::string output;  ///< Why it ended, or what it waits for.
    std::vector<std::string> warnings;
    std::vector<StepRun> steps;  ///< In the scenario's order.
    Moment seen;                 ///< Of the last transition.

    std::optional<std::int64_t> started_wall;
    std::optional<std::int64_t> ended_wall;
    /// R0..R5 of the RTO, unix ms. The machine sets 2, 3 and 4; its driver 0, 1 and 5.
    std::array<std::optional<std::int64_t>, 6> marks;
    bool health_alone = false;  ///< Users were served again before R3.

    const StepRun* find_step(const std::string& step) const;
    bool operator==(const Run&) const = default;
};

bool ended(RunState state);
bool paused(RunState state);
const char* to_string(RunState state);   ///< "AWAIT_APPROVAL"
const char* to_string(StepState state);  ///< "UNKNOWN_OUTCOME"
const char* to_string(Phase phase);
std::optional<RunState> parse_run_state(const std::string& text);
std::optional<StepState> parse_step_state(const std::string& text);
std::optional<Phase> parse_phase(const std::string& text);

/// The run as it is stored. `decode_run` gives invalid_argument for anything that encode_run would
/// not write; it does not know the scenario (see `fits` in machine.hpp).
std::string encode_run(const Run& run);
base::Result<Run> decode_run(std::string_view text);

/// The times that people ask for, once they are known.
struct Rto {
    std::optional<std::int64_t> rto_ms;                ///< R5 - R0
    std::optional<std::int64_t> rto_without_human_ms;  ///< Less what people made it wait.
};
Rto rto_of(const Run& run);
/// Time spent waiting for people, until `mono_now` when it waits now.
std::int64_t human_wait_ms(const Run& run, std::int64_t mono_now);

}  // namespace twinsite::switchover::scenario
