// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/machine.hpp"

#include <algorithm>

#include "switchover/scenario/machine_parts.hpp"

namespace twinsite::switchover::scenario {

namespace {

constexpr std::size_t kRunOutputBytes = 1'000;
constexpr std::int64_t kLongestDowntimeMs = 24 * 3'600'000;

void say(Run& run, const std::string& text) {
    run.output = clean_text(text, kRunOutputBytes);
}

std::string check_id(Run& run, const char* what) {
    return run.id + "-." + what + "-" + std::to_string(++run.checks);
}

void drop_run_check(Work& work) {
    if (work.run.check_op.empty()) return;
    Effect cancel;
    cancel.kind = Effect::Kind::cancel;
    cancel.op_id = work.run.check_op;
    work.effects.push_back(std::move(cancel));
    work.run.check_op.clear();
}

void end(Work& work, RunState state, const std::string& why) {
    auto& run = work.run;
    drop_run_check(work);
    run.state = state;
    run.deadline = 0;
    run.limit_deadline = 0;
    run.ended_wall = work.now.wall;
    if (!why.empty()) say(run, why);
}

void stop_steps(Work& work) {
    for (auto& at : work.run.steps) stop_step(work, at);
}

/// The worst required step decides.
void end_by_worst(Work& work) {
    for (const auto& at : work.run.steps)
        if (failed_for_good(at) && work.plan(at).on_fail != OnFail::ignore)
            return end(work, RunState::failed, "step " + at.id + ": " + at.output);
    const bool warned = !work.run.warnings.empty();
    end(work, warned ? RunState::succeeded_warn : RunState::succeeded, "");
}

std::vector<Expression> run_checks(const Work& work) {
    if (work.run.state == RunState::verifying)
        return not_overridden(work.run, work.scenario.verify.check);
    auto out = not_overridden(work.run, work.scenario.require);
    const auto safety = not_overridden(work.run, work.scenario.safety);
    out.insert(out.end(), safety.begin(), safety.end());
    return out;
}

/// Asks the run's own check of its present state (again).
void ask_run_check(Work& work) {
    const bool verify = work.run.state == RunState::verifying;
    const auto& plan = work.scenario.verify;
    const auto limit = verify ? plan.within : kLook;
    work.run.deadline = work.now.mono + limit.count() + kGraceMs;
    work.effects.push_back(make_check(
        work.run.check_op, "", run_checks(work), limit, verify ? plan.hold : Milliseconds(0)
    ));
}

void begin_verify(Work& work) {
    auto& run = work.run;
    run.marks[4] = work.now.wall;
    run.state = RunState::verifying;
    if (run_checks(work).empty()) return end_by_worst(work);
    run.check_op = check_id(run, "verify");
    ask_run_check(work);
}

void begin_steps(Work& work) {
    auto& run = work.run;
    run.state = RunState::running;
    run.deadline = 0;
    run.output.clear();
    if (!run.marks[2]) run.marks[2] = work.now.wall;
}

void after_precheck(Work& work) {
    auto& run = work.run;
    if (!work.scenario.approval_wait || run.approved) return begin_steps(work);
    run.state = RunState::await_approval;
    run.deadline = work.now.mono + work.scenario.approval_wait->count();
    say(run, "waits for approval");
}

void begin(Work& work) {
    auto& run = work.run;
    run.state = RunState::precheck;
    run.started_wall = work.now.wall;
    run.limit_deadline = work.now.mono + work.scenario.limit.count();
    for (const auto& override : run.overrides)
        warn(run, "rule " + override.rule + " overridden: " + override.reason);
    if (run_checks(work).empty()) return after_precheck(work);
    run.check_op = check_id(run, "require");
    ask_run_check(work);
}

bool may_begin(const Work& work, const StepRun& at) {
    if (at.state != StepState::pending || at_work(at)) return false;
    const auto& needs = work.plan(at).needs;
    return std::all_of(needs.begin(), needs.end(), [&](const std::string& need) {
        const auto* before = work.run.find_step(need);
        return before != nullptr && settled(work, *before);
    });
}

/// Begins what can begin, and goes on to verification when all is over. A step that begins may
/// end the run, so the state is looked at each time.
void advance(Work& work) {
    auto& run = work.run;
    for (bool again = true; again && run.state == RunState::running;) {
        again = false;
        for (auto& at : run.steps) {
            if (run.state != RunState::running) return;
            if (!may_begin(work, at)) continue;
            if (!work.hold.empty()) return pause_held(work);
            begin_attempt(work, at);
            again = true;
        }
    }
    if (run.state != RunState::running) return;
    const auto over = [](const StepRun& at) {
        return !at_work(at) && at.state != StepState::pending;
    };
    if (std::all_of(run.steps.begin(), run.steps.end(), over)) begin_verify(work);
}

bool blocks(const Work& work, const StepRun& at) {
    return failed_for_good(at) && !settled(work, at);
}

const StepRun* find_blocking(const Work& work) {
    for (const auto& at : work.run.steps)
        if (blocks(work, at)) return &at;
    return nullptr;
}

/// The run goes on unless another failed step still holds it.
void go_on(Work& work) {
    const auto* blocking = find_blocking(work);
    work.run.state = blocking == nullptr ? RunState::running : RunState::paused_step_failed;
    work.run.output.clear();
    if (blocking != nullptr) say(work.run, "step " + blocking->id + ": " + blocking->output);
}

StepRun* find_step(Work& work, const std::string& id) {
    for (auto& at : work.run.steps)
        if (at.id == id) return &at;
    return nullptr;
}

void again(StepRun& at) {
    at.state = StepState::pending;
    at.attempt = 0;
    at.finished = 0;
    at.ended_wall.reset();
}

// ---- events of people. Each gives why it was refused; empty: taken.

std::string take_resume(Work& work) {
    if (!paused(work.run.state)) return "the run is not paused";
    if (work.run.undoing) {
        begin_rollback(work, work.run.cancelling);
        return "";
    }
    for (auto& at : work.run.steps)
        if (blocks(work, at)) again(at);
    go_on(work);
    return "";
}

std::string take_abort(Work& work, const Event& event) {
    auto& run = work.run;
    const auto why = "aborted by " + event.who + ": " + event.reason;
    switch (run.state) {
        case RunState::draft:
        case RunState::precheck:
        case RunState::await_approval:
            stop_steps(work);
            end(work, RunState::cancelled, why);
            return "";
        case RunState::running:
        case RunState::paused_step_failed:
        case RunState::paused_operator:
        case RunState::verifying:
            say(run, why);
            run.undoing = false;
            drop_run_check(work);
            stop_steps(work);
            if (event.undo)
                begin_rollback(work, true);
            else
                end(work, RunState::cancelled, "");
            return "";
        case RunState::rolling_back:
            say(run, why);
            stop_steps(work);
            end(work, RunState::cancelled, "");
            return "";
        case RunState::succeeded:
        case RunState::succeeded_warn:
        case RunState::failed:
        case RunState::cancelled:
        case RunState::timed_out:
            break;
    }
    return "the run is over";
}

std::string take_retry(Work& work, const Event& event) {
    if (!paused(work.run.state)) return "the run is not paused";
    if (work.run.undoing) return "the run is being undone";
    const auto* blocking = find_blocking(work);
    auto* at =
        find_step(work, event.step.empty() && blocking != nullptr ? blocking->id : event.step);
    if (at == nullptr || !failed_for_good(*at)) return "no such step has failed";
    again(*at);
    if (work.run.state == RunState::paused_step_failed) go_on(work);
    return "";
}

std::string take_skip(Work& work, const Event& event) {
    if (!paused(work.run.state)) return "the run is not paused";
    if (work.run.undoing) return "the run is being undone";
    const auto* blocking = find_blocking(work);
    auto* at =
        find_step(work, event.step.empty() && blocking != nullptr ? blocking->id : event.step);
    const bool can =
        at != nullptr && !at_work(*at) && (at->state == StepState::pending || failed_for_good(*at));
    if (!can) return "no such step waits or has failed";
    at->state = StepState::skipped;
    at->ended_wall = work.now.wall;
    warn(work.run, "step " + at->id + " skipped by " + event.who + ": " + event.reason);
    if (work.run.state == RunState::paused_step_failed) go_on(work);
    return "";
}

std::string take_answer(Work& work, const Event& event) {
    for (auto& at : work.run.steps) {
        if (at.phase != Phase::human || !(event.step.empty() || event.step == at.id)) continue;
        answer_human(work, at, event.yes, event.who);
        return "";
    }
    return "no such step asks";
}

std::string take_run_result(Work& work, const Event& event) {
    auto& run = work.run;
    if (event.outcome == Event::Outcome::progress) {
        say(run, event.output);
        return "";
    }
    run.check_op.clear();
    run.deadline = 0;
    const bool good = event.outcome == Event::Outcome::ok;
    if (run.state == RunState::precheck) {
        if (good)
            after_precheck(work);
        else {
            stop_steps(work);
            end(work, RunState::failed, "not begun: " + event.output);
        }
        return "";
    }
    if (good)
        end_by_worst(work);
    else
        end(work, RunState::failed, "not verified: " + event.output);
    return "";
}

std::string take_result(Work& work, const Event& event) {
    if (!work.run.check_op.empty() && event.op_id == work.run.check_op)
        return take_run_result(work, event);
    for (auto& at : work.run.steps) {
        if (!at.check_op.empty() && event.op_id == at.check_op) {
            take_step_check(work, at, event);
            return "";
        }
        for (auto& target : at.targets) {
            const bool open =
                target.state == StepState::dispatched || target.state == StepState::running;
            if (!open || event.op_id != target.op_id) continue;
            take_target_result(work, at, target, event);
            return "";
        }
    }
    return "nothing waits for this result";
}

// ---- events of time

void run_time_passed(Work& work) {
    auto& run = work.run;
    if (run.state == RunState::await_approval)
        return stop_steps(work), end(work, RunState::timed_out, "nobody approved in time");
    if (run.state == RunState::precheck)
        return stop_steps(work), end(work, RunState::failed, "not begun: no answer in time");
    if (run.state == RunState::verifying)
        end(work, RunState::failed, "not verified in time; last: " + run.output);
}

bool due(std::int64_t deadline, const Moment& now) {
    return deadline != 0 && deadline <= now.mono;
}

void look_at_clock(Work& work) {
    auto& run = work.run;
    if (ended(run.state) || run.state == RunState::draft) return;
    if (due(run.deadline, work.now)) run_time_passed(work);
    if (ended(run.state)) return;
    if (due(run.limit_deadline, work.now) && run.state != RunState::rolling_back) {
        stop_steps(work);
        return end(work, RunState::timed_out, "the run's limit is over");
    }
    for (auto& at : run.steps)
        if (at_work(at) && due(at.deadline, work.now)) step_time_passed(work, at);
}

void restore(Work& work) {
    auto& run = work.run;
    const auto down =
        std::clamp<std::int64_t>(work.now.wall - run.seen.wall, 0, kLongestDowntimeMs);
    const auto shift = work.now.mono - run.seen.mono - down;
    const auto move = [shift](std::int64_t& deadline) {
        if (deadline != 0) deadline = std::max<std::int64_t>(1, deadline + shift);
    };
    move(run.deadline);
    move(run.limit_deadline);
    if (run.paused_since != 0) {
        run.paused_since += shift;
        // 0 would mean that nobody waits; the clock of a young machine may give less.
        run.human_wait_ms += std::max<std::int64_t>(0, 1 - run.paused_since);
        run.paused_since = std::max<std::int64_t>(1, run.paused_since);
    }
    for (auto& at : run.steps) {
        move(at.deadline);
        restore_step(work, at);
    }
    if (run.check_op.empty()) return;
    ask_run_check(work);
    work.effects.back().again = true;
}

void keep_human_time(Run& run, const Moment& now) {
    const bool asks = std::any_of(run.steps.begin(), run.steps.end(), [](const StepRun& at) {
        return at.phase == Phase::human;
    });
    const bool waits =
        !ended(run.state) && (run.state == RunState::await_approval || paused(run.state) || asks);
    if (waits && run.paused_since == 0) run.paused_since = std::max<std::int64_t>(1, now.mono);
    if (waits || run.paused_since == 0) return;
    run.human_wait_ms = human_wait_ms(run, now.mono);
    run.paused_since = 0;
}

std::string take(Work& work, const Event& event) {
    auto& run = work.run;
    using Kind = Event::Kind;
    switch (event.kind) {
        case Kind::tick:
            return "";  // look_at_clock does the work after every event
        case Kind::result:
            return take_result(work, event);
        case Kind::resume:
            return take_resume(work);
        case Kind::abort:
            return take_abort(work, event);
        case Kind::retry:
            return take_retry(work, event);
        case Kind::skip:
            return take_skip(work, event);
        case Kind::answer:
            return take_answer(work, event);
        case Kind::restored:
            restore(work);
            return "";
        case Kind::start:
            if (run.state != RunState::draft) return "the run has begun already";
            begin(work);
            return "";
        case Kind::approve:
            if (run.state != RunState::await_approval) return "the run does not wait for approval";
            run.approved = true;
            begin_steps(work);
            return "";
        case Kind::pause:
            if (run.state != RunState::running) return "only a running run can be paused";
            run.state = RunState::paused_operator;
            say(run, "paused by " + event.who + ": " + event.reason);
            return "";
    }
    return "unknown event";
}

}  // namespace

void step_failed(Work& work, StepRun& at) {
    auto& run = work.run;
    const auto text = "step " + at.id + ": " + at.output;
    switch (work.plan(at).on_fail) {
        case OnFail::ignore:
        case OnFail::proceed:
            return warn(run, text);
        case OnFail::pause:
            if (run.state == RunState::running) run.state = RunState::paused_step_failed;
            return say(run, text);
        case OnFail::abort:
            say(run, text);
            stop_steps(work);
            return end(work, RunState::failed, "");
        case OnFail::rollback:
            say(run, text);
            stop_steps(work);
            return begin_rollback(work, false);
    }
}

void begin_rollback(Work& work, bool cancelling) {
    auto& run = work.run;
    run.state = RunState::rolling_back;
    run.cancelling = cancelling;
    run.undoing = false;
    run.deadline = 0;
    next_undo(work);
}

void pause_held(Work& work) {
    work.run.state = RunState::paused_operator;
    say(work.run, "paused: " + work.hold);
}

void next_undo(Work& work) {
    auto& run = work.run;
    StepRun* next = nullptr;
    for (auto& at : run.steps) {
        const bool acted =
            std::any_of(at.targets.begin(), at.targets.end(), [](const TargetRun& t) {
                return !t.op_id.empty();
            });
        if (!work.plan(at).undo || !acted || at.finished == 0) continue;
        if (next == nullptr || at.finished > next->finished) next = &at;
    }
    if (next != nullptr && !work.hold.empty()) {
        run.undoing = true;
        return pause_held(work);
    }
    if (next != nullptr) return begin_undo(work, *next);
    end(work, run.cancelling ? RunState::cancelled : RunState::failed, "");
}

Transition step(const Scenario& scenario, Run run, const Event& event, Moment now) {
    Transition out;
    out.run = std::move(run);
    const auto before = out.run;
    Work work{scenario, out.run, now, out.effects, event.hold};
    const bool restored = event.kind == Event::Kind::restored;
    if (!ended(out.run.state)) {
        out.refused = take(work, event);
        if (!restored) look_at_clock(work);
        advance(work);
        keep_human_time(out.run, now);
        out.changed = restored || !(out.run == before);
    } else if (event.kind != Event::Kind::tick && !restored) {
        out.refused = "the run is over";
    }
    if (out.changed) out.run.seen = now;
    return out;
}

Run make_run(const Scenario& scenario, const RunRequest& request) {
    constexpr std::size_t kWho = 256;
    constexpr std::size_t kReason = 1'000;
    constexpr std::size_t kMaxOverrides = 20;
    Run out;
    out.id = request.id;
    out.scenario = scenario.name;
    out.hash = request.hash;
    out.mode = request.mode;
    out.by = clean_text(request.by, kWho);
    out.reason = clean_text(request.reason, kReason);
    for (const auto& override : request.overrides)
        if (out.overrides.size() < kMaxOverrides)
            out.overrides.push_back(
                {clean_text(override.rule, kWho), clean_text(override.reason, kWho)}
            );
    out.approved = request.mode != "auto";
    const auto variant = scenario.variants.find(request.variant);
    if (variant != scenario.variants.end()) out.variant = request.variant;
    for (const auto& step : scenario.steps) {
        StepRun at;
        at.id = step.id;
        for (const auto& target : step.targets) at.targets.push_back({target, {}, {}, {}});
        if (at.targets.empty()) at.targets.push_back({});
        if (variant != scenario.variants.end()) {
            const auto& skip = variant->second;
            if (std::find(skip.begin(), skip.end(), step.id) != skip.end())
                at.state = StepState::skipped;
        }
        out.steps.push_back(std::move(at));
    }
    return out;
}

std::optional<std::int64_t> next_wake(const Run& run) {
    if (ended(run.state) || run.state == RunState::draft) return std::nullopt;
    std::optional<std::int64_t> out;
    const auto add = [&out](std::int64_t deadline) {
        if (deadline != 0 && (!out || deadline < *out)) out = deadline;
    };
    add(run.deadline);
    if (run.state != RunState::rolling_back) add(run.limit_deadline);
    for (const auto& at : run.steps)
        if (at_work(at) && !(at.phase == Phase::backoff && paused(run.state))) add(at.deadline);
    return out;
}

}  // namespace twinsite::switchover::scenario
