// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "switchover/scenario/run.hpp"
#include "switchover/scenario/scenario.hpp"

/// The machine that runs a scenario. Its driver does for each event: `step`, store the new run,
/// then carry out the effects; so an intent is on the disk before anything is sent. After a restart
/// it loads the run and steps it with `restored`: all that was under way is asked for again, with
/// the operation ids it had.
namespace twinsite::switchover::scenario {

struct Event {
    enum class Kind {
        start,     ///< A draft begins.
        restored,  ///< The run was loaded by a process that has nothing under way.
        tick,      ///< Time has passed; see `next_wake`.
        result,    ///< Of the effect `op_id`.
        approve,
        pause,   ///< No new step begins.
        resume,  ///< Goes on; failed steps are tried again.
        abort,   ///< Ends the run; with `undo` what was done is undone first.
        retry,   ///< A failed step begins a new round of tries.
        skip,    ///< A failed or waiting step is left out.
        answer,  ///< To a question of a human step: `yes` or not.
    };
    enum class Outcome { progress, ok, failed, unknown };

    Kind kind = Kind::tick;
    std::string op_id;  ///< result
    Outcome outcome = Outcome::ok;
    std::string output;  ///< result; cut at 64 KiB
    std::string step;    ///< retry, skip, answer
    std::string who;     ///< approve, pause, resume, abort, retry, skip, answer
    std::string reason;
    bool yes = false;
    bool undo = false;
    /// With any event: why no step may begin now; empty: they may. The run is paused where one
    /// would begin.
    std::string hold;

    static Event of(Kind kind);
    static Event result_of(std::string op_id, Outcome outcome, std::string output = {});
};

/// Something to do outside. Its answer is an Event::Kind::result with the same op_id. An effect
/// that is asked for while one with its op_id is under way must not be begun a second time.
struct Effect {
    enum class Kind {
        act,     ///< `action`, on host `target` when that is set.
        check,   ///< All of `checks` come true, and stay for `hold`, within `limit`.
        cancel,  ///< Stop what has this op_id, if it can be; no answer is wanted.
    };
    Kind kind = Kind::act;
    std::string op_id;  ///< [A-Za-z0-9._-]{1,64}, the same whenever it is asked again.
    std::string step;   ///< Empty: the run's own check.
    std::string target;
    Action action;
    std::vector<Expression> checks;
    Milliseconds limit{0};
    Milliseconds hold{0};
    bool again = false;  ///< It may have been done, or be under way elsewhere, already.
    std::string reason;  ///< For receivers that keep one: "run r01-000017: ..."
};

struct Transition {
    Run run;
    std::vector<Effect> effects;
    std::string refused;   ///< Why the event could not be taken; the run is then as it was.
    bool changed = false;  ///< The run must be stored before the effects are carried out.
};

struct RunRequest {
    std::string id;
    std::string hash;
    std::string variant;
    std::string mode = "manual";  ///< auto | manual. A manual start is its own approval.
    std::string by;
    std::string reason;
    std::vector<Override> overrides;
};
/// A draft. The scenario has no findings; an unknown variant counts as none.
Run make_run(const Scenario& scenario, const RunRequest& request);

/// Whether the run can be driven by this scenario: the same steps with the same targets, in a state
/// that the machine can be in. To be asked of every run that was read from somewhere.
bool fits(const Scenario& scenario, const Run& run);

/// The next state. Total: every event in every state gives a valid run. `run` fits `scenario`.
Transition step(const Scenario& scenario, Run run, const Event& event, Moment now);

/// When a tick is due (mono ms); nullopt: only an event from outside goes on.
std::optional<std::int64_t> next_wake(const Run& run);

}  // namespace twinsite::switchover::scenario
