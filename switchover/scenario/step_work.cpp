// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text/text.hpp"
#include "switchover/scenario/machine_parts.hpp"

namespace twinsite::switchover::scenario {

namespace {

constexpr std::size_t kStepOutputBytes = 512;
constexpr std::size_t kTargetOutputBytes = 256;
constexpr std::size_t kOnlyTargetOutputBytes = 2'048;

bool open(const TargetRun& target) {
    return target.state == StepState::dispatched || target.state == StepState::running;
}
bool bad(const TargetRun& target) {
    return target.state == StepState::failed || target.state == StepState::timed_out ||
           target.state == StepState::unknown_outcome;
}

void say(StepRun& at, const std::string& text) {
    at.output = clean_text(text, kStepOutputBytes);
}

std::string operation(const Work& work, const StepRun& at) {
    return work.run.id + "-" + at.id + "-" + std::to_string(at.operations);
}

/// In one pass: what a person wrote is not looked into again.
std::string fill_in(const std::string& text, const Work& work) {
    const std::map<std::string, const std::string*> known{
        {"run.id", &work.run.id},
        {"run.by", &work.run.by},
        {"run.reason", &work.run.reason},
        {"scenario", &work.scenario.name},
        {"site", &work.scenario.site},
    };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto open = text.find("${", at);
        const auto close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) return out + text.substr(at);
        const auto found = known.find(text.substr(open + 2, close - open - 2));
        out += text.substr(at, open - at);
        out += found == known.end() ? text.substr(open, close + 1 - open) : *found->second;
        at = close + 1;
    }
    return out;
}

Effect make_act(
    const Work& work, const StepRun& at, const TargetRun& target, const Action& action
) {
    Effect out;
    out.kind = Effect::Kind::act;
    out.op_id = target.op_id;
    out.step = at.id;
    out.target = target.name;
    out.action = action;
    if (const auto text = out.action.parameters.find("text"); text != out.action.parameters.end())
        text->second = fill_in(text->second, work);
    out.limit = work.plan(at).timeout;
    out.reason = "run " + work.run.id + " of " + work.scenario.name;
    return out;
}

void cancel(Work& work, const std::string& op_id) {
    Effect out;
    out.kind = Effect::Kind::cancel;
    out.op_id = op_id;
    work.effects.push_back(std::move(out));
}

/// What the targets do in this phase.
const Action& action_of(const Work& work, const StepRun& at) {
    const auto& plan = work.plan(at);
    return at.phase == Phase::undo && plan.undo ? *plan.undo : plan.act;
}

void dispatch(Work& work, StepRun& at) {
    const auto& plan = work.plan(at);
    auto busy = std::count_if(at.targets.begin(), at.targets.end(), open);
    for (std::size_t i = 0; i < at.targets.size(); ++i) {
        auto& target = at.targets[i];
        if (target.state != StepState::pending) continue;
        if (busy >= static_cast<std::ptrdiff_t>(plan.parallel)) return;
        // A try that timed out kept its id: the same operation is asked for again, for it may
        // have been done.
        const bool again = !target.op_id.empty();
        if (!again) {
            ++at.operations;
            target.op_id = operation(work, at) + (at.phase == Phase::undo ? ".undo" : "") +
                           (at.targets.size() > 1 ? ".t" + std::to_string(i) : "");
        }
        target.state = StepState::dispatched;
        ++busy;
        auto effect = make_act(work, at, target, action_of(work, at));
        effect.again = again;
        work.effects.push_back(std::move(effect));
        if (!work.run.marks[3]) work.run.marks[3] = work.now.wall;
    }
}

void finish(Work& work, StepRun& at, StepState state) {
    at.state = state;
    at.phase = Phase::none;
    at.deadline = 0;
    at.check_op.clear();
    at.ended_wall = work.now.wall;
    unsigned last = 0;
    for (const auto& step : work.run.steps) last = std::max(last, step.finished);
    at.finished = last + 1;
}

void begin_check(Work& work, StepRun& at, Phase phase, std::vector<Expression> checks) {
    at.phase = phase;
    at.state = StepState::running;
    const bool pre = phase == Phase::pre;
    at.check_op = work.run.id + "-" + at.id + "-" + std::to_string(++at.operations) +
                  (pre ? ".pre" : ".post");
    const Milliseconds left(std::max<std::int64_t>(100, at.deadline - kGraceMs - work.now.mono));
    const auto limit = pre ? std::min(kLook, left) : left;
    work.effects.push_back(make_check(at.check_op, at.id, std::move(checks), limit, Milliseconds(0))
    );
}

void begin_act(Work& work, StepRun& at) {
    const auto& plan = work.plan(at);
    at.check_op.clear();
    if (plan.act.name == "wait") {
        const auto span = base::text::parse_duration(plan.act.parameters.at("for"));
        at.phase = Phase::wait;
        at.state = StepState::running;
        at.deadline = work.now.mono + span.value_or(plan.timeout).count();
        if (!work.run.marks[3]) work.run.marks[3] = work.now.wall;
        return;
    }
    at.phase = Phase::act;
    at.state = StepState::dispatched;
    dispatch(work, at);
}

void begin_post(Work& work, StepRun& at) {
    const auto checks = not_overridden(work.run, work.plan(at).post);
    if (checks.empty()) return finish(work, at, StepState::ok);
    // The time-out covers action and checks; a wait has none of its own.
    if (at.phase == Phase::wait)
        at.deadline = work.now.mono + work.plan(at).timeout.count() + kGraceMs;
    begin_check(work, at, Phase::post, checks);
}

std::vector<Expression> before(const Work& work, const StepRun& at) {
    auto out = not_overridden(work.run, work.scenario.safety);
    const auto own = not_overridden(work.run, work.plan(at).pre);
    out.insert(out.end(), own.begin(), own.end());
    return out;
}

/// Cancels what this try has under way. What was dispatched may still happen.
void drop_operations(Work& work, StepRun& at, StepState instead) {
    if (!at.check_op.empty()) cancel(work, at.check_op);
    at.check_op.clear();
    for (auto& target : at.targets) {
        if (!open(target)) continue;
        cancel(work, target.op_id);
        target.state = instead;
    }
}

void undo_ended(Work& work, StepRun& at, bool good) {
    if (!good) warn(work.run, "step " + at.id + " could not be undone: " + at.output);
    finish(work, at, good ? StepState::rolled_back : StepState::failed);
    at.finished = 0;
    next_undo(work);
}

void attempt_failed(Work& work, StepRun& at, StepState how, const std::string& why) {
    const auto& plan = work.plan(at);
    const bool undoing = at.phase == Phase::undo;
    drop_operations(work, at, StepState::timed_out);
    if (!why.empty()) say(at, why);
    if (how != StepState::unknown_outcome && !plan.human && at.attempt < plan.tries) {
        at.phase = Phase::backoff;
        at.state = StepState::running;
        at.deadline = std::max<std::int64_t>(1, work.now.mono + plan.backoff.count());
        return;
    }
    if (undoing) return undo_ended(work, at, false);
    finish(work, at, how);
    step_failed(work, at);
}

std::string name_failures(const StepRun& at) {
    if (at.targets.size() == 1) return at.targets.front().output;
    std::string out;
    for (const auto& target : at.targets)
        if (bad(target))
            out += (out.empty() ? "" : "; ") + target.name + ": " + to_string(target.state) +
                   (target.output.empty() ? "" : " " + target.output);
    return out;
}

/// After a target's end: more targets, the next phase, or the end of the try.
void look_at_targets(Work& work, StepRun& at) {
    dispatch(work, at);
    const auto over = [](const TargetRun& t) { return t.state == StepState::ok || bad(t); };
    if (!std::all_of(at.targets.begin(), at.targets.end(), over)) return;
    const auto failures =
        static_cast<std::size_t>(std::count_if(at.targets.begin(), at.targets.end(), bad));
    say(at,
        failures == 0 && at.targets.size() > 1
            ? "all " + std::to_string(at.targets.size()) + " targets"
            : name_failures(at));
    const auto allowed = at.targets.size() * work.plan(at).allow_fail_percent;
    if (failures * 100 > allowed) {
        const bool unknown =
            std::any_of(at.targets.begin(), at.targets.end(), [](const TargetRun& t) {
                return t.state == StepState::unknown_outcome;
            });
        const bool timed_out =
            std::any_of(at.targets.begin(), at.targets.end(), [](const TargetRun& t) {
                return t.state == StepState::timed_out;
            });
        const auto how = unknown     ? StepState::unknown_outcome
                         : timed_out ? StepState::timed_out
                                     : StepState::failed;
        return attempt_failed(work, at, how, "");
    }
    if (failures > 0) warn(work.run, "step " + at.id + ": " + at.output);
    if (at.phase == Phase::undo) return undo_ended(work, at, true);
    begin_post(work, at);
}

/// Targets for a new try. Those that did it stay done unless all must be done anew.
void reset_targets(StepRun& at, bool all) {
    for (auto& target : at.targets) {
        if (target.state == StepState::ok && !all) continue;
        if (target.state != StepState::timed_out) target.op_id.clear();
        target.state = StepState::pending;
    }
}

bool all_ok(const StepRun& at) {
    return std::all_of(at.targets.begin(), at.targets.end(), [](const TargetRun& t) {
        return t.state == StepState::ok;
    });
}

void begin_undo_attempt(Work& work, StepRun& at) {
    ++at.attempt;
    at.phase = Phase::undo;
    at.state = StepState::running;
    at.deadline = work.now.mono + work.plan(at).timeout.count() + kGraceMs;
    reset_targets(at, false);
    look_at_targets(work, at);
}

}  // namespace

bool at_work(const StepRun& at) {
    return at.phase != Phase::none;
}

bool failed_for_good(const StepRun& at) {
    return at.phase == Phase::none &&
           (at.state == StepState::failed || at.state == StepState::timed_out ||
            at.state == StepState::unknown_outcome);
}

bool settled(const Work& work, const StepRun& at) {
    if (at.state == StepState::ok || at.state == StepState::skipped) return true;
    const auto on_fail = work.plan(at).on_fail;
    return failed_for_good(at) && (on_fail == OnFail::proceed || on_fail == OnFail::ignore);
}

void begin_attempt(Work& work, StepRun& at) {
    const auto& plan = work.plan(at);
    ++at.attempt;
    ++at.tries;
    if (!at.started_wall) at.started_wall = work.now.wall;
    at.ended_wall.reset();
    at.deadline = work.now.mono + plan.timeout.count() + kGraceMs;
    if (plan.human) {
        at.phase = Phase::human;
        at.state = StepState::running;
        at.deadline = work.now.mono + plan.human->wait.count();
        return say(at, plan.human->ask.en);
    }
    // All targets had done it, so it was the check behind it that failed: do it anew.
    reset_targets(at, all_ok(at));
    const auto checks = before(work, at);
    if (checks.empty()) return begin_act(work, at);
    begin_check(work, at, Phase::pre, checks);
}

void take_step_check(Work& work, StepRun& at, const Event& event) {
    if (event.outcome == Event::Outcome::progress) return say(at, event.output);
    const auto phase = at.phase;
    at.check_op.clear();
    if (event.outcome != Event::Outcome::ok)
        return attempt_failed(work, at, StepState::failed, event.output);
    if (phase == Phase::pre) return begin_act(work, at);
    if (!event.output.empty()) say(at, event.output);
    finish(work, at, StepState::ok);
}

void take_target_result(Work& work, StepRun& at, TargetRun& target, const Event& event) {
    target.output = clean_text(
        event.output, at.targets.size() == 1 ? kOnlyTargetOutputBytes : kTargetOutputBytes
    );
    switch (event.outcome) {
        case Event::Outcome::progress:
            target.state = StepState::running;
            if (at.phase == Phase::act) at.state = StepState::running;
            if (at.targets.size() == 1) say(at, target.output);
            return;
        case Event::Outcome::ok:
            target.state = StepState::ok;
            break;
        case Event::Outcome::failed:
            target.state = StepState::failed;
            break;
        case Event::Outcome::unknown:
            target.state = StepState::unknown_outcome;
            break;
    }
    look_at_targets(work, at);
}

void step_time_passed(Work& work, StepRun& at) {
    const auto& plan = work.plan(at);
    switch (at.phase) {
        case Phase::none:
            return;
        case Phase::backoff:
            if (work.run.state == RunState::rolling_back) return begin_undo_attempt(work, at);
            if (work.run.state != RunState::running) return;
            return work.hold.empty() ? begin_attempt(work, at) : pause_held(work);
        case Phase::wait:
            return begin_post(work, at);
        case Phase::human:
            say(at, "nobody answered within " + base::text::format_duration(plan.human->wait));
            if (plan.human->proceed_on_timeout) {
                warn(work.run, "step " + at.id + ": " + at.output);
                return finish(work, at, StepState::ok);
            }
            return attempt_failed(work, at, StepState::timed_out, "");
        case Phase::pre:
        case Phase::act:
        case Phase::post:
        case Phase::undo:
            return attempt_failed(
                work,
                at,
                StepState::timed_out,
                "no answer within " + base::text::format_duration(plan.timeout) +
                    (at.output.empty() ? "" : "; last: " + at.output)
            );
    }
}

void answer_human(Work& work, StepRun& at, bool yes, const std::string& who) {
    say(at, (yes ? "yes, says " : "no, says ") + who);
    if (yes) return finish(work, at, StepState::ok);
    attempt_failed(work, at, StepState::failed, "");
}

void stop_step(Work& work, StepRun& at) {
    if (at.state == StepState::pending) {
        at.state = StepState::skipped;
        return;
    }
    if (!at_work(at)) return;
    const bool acted = std::any_of(at.targets.begin(), at.targets.end(), [](const TargetRun& t) {
        return !t.op_id.empty();
    });
    const bool unsure = std::any_of(at.targets.begin(), at.targets.end(), open);
    const bool undoing = at.phase == Phase::undo;
    drop_operations(work, at, StepState::unknown_outcome);
    if (at.output.empty()) say(at, "stopped");
    finish(
        work,
        at,
        unsure             ? StepState::unknown_outcome
        : acted || undoing ? StepState::failed
                           : StepState::skipped
    );
}

void begin_undo(Work& work, StepRun& at) {
    at.attempt = 0;
    for (auto& target : at.targets) {
        // A target that was never asked has nothing to undo.
        target.state = target.op_id.empty() ? StepState::ok : StepState::pending;
        target.op_id.clear();
    }
    begin_undo_attempt(work, at);
}

void restore_step(Work& work, StepRun& at) {
    const auto& plan = work.plan(at);
    switch (at.phase) {
        case Phase::none:
        case Phase::backoff:
        case Phase::human:
        case Phase::wait:
            return;
        case Phase::pre:
        case Phase::act:
        case Phase::post:
        case Phase::undo:
            break;
    }
    // The full time again: what was done meanwhile must be heard before it can be late.
    at.deadline = work.now.mono + plan.timeout.count() + kGraceMs;
    if (!at.check_op.empty()) {
        const bool pre = at.phase == Phase::pre;
        auto checks = pre ? before(work, at) : not_overridden(work.run, plan.post);
        auto effect = make_check(
            at.check_op, at.id, std::move(checks), pre ? kLook : plan.timeout, Milliseconds(0)
        );
        effect.again = true;
        work.effects.push_back(std::move(effect));
    }
    for (const auto& target : at.targets) {
        if (!open(target)) continue;
        auto effect = make_act(work, at, target, action_of(work, at));
        effect.again = true;
        work.effects.push_back(std::move(effect));
    }
}

}  // namespace twinsite::switchover::scenario
