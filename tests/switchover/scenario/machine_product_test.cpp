// SPDX-License-Identifier: Apache-2.0
// Every event in every state of a run gives a valid run: refused and unchanged, or taken.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "switchover/scenario/machine.hpp"
#include "tests/switchover/scenario/sample.hpp"
#include "tests/switchover/scenario/world.hpp"

namespace twinsite::switchover::scenario {
namespace {

using Kind = Event::Kind;
using Outcome = Event::Outcome;

using Runs = std::map<RunState, std::vector<Run>>;

constexpr Moment kNow{1'000'000, 1'800'000'000'000};

bool open(const TargetRun& target) {
    return target.state == StepState::dispatched || target.state == StepState::running;
}

/// All events that could matter to this run, and some that could not.
std::vector<Event> events_for(const Run& run) {
    std::vector<Event> out{
        Event::of(Kind::start),
        Event::of(Kind::restored),
        Event::of(Kind::tick),
        by(Kind::approve),
        by(Kind::pause),
        by(Kind::resume),
        by(Kind::abort),
    };
    out.push_back(by(Kind::abort));
    out.back().undo = true;
    std::vector<std::string> ids{"", "no-such-operation", run.check_op};
    for (const auto& at : run.steps) {
        for (const auto kind : {Kind::retry, Kind::skip, Kind::answer}) {
            out.push_back(by(kind, at.id, true));
            out.push_back(by(kind, at.id, false));
        }
        ids.push_back(at.check_op);
        for (const auto& target : at.targets) ids.push_back(target.op_id);
    }
    for (const auto kind : {Kind::retry, Kind::skip, Kind::answer}) out.push_back(by(kind));
    for (const auto& id : ids)
        for (const auto outcome :
             {Outcome::progress, Outcome::ok, Outcome::failed, Outcome::unknown})
            out.push_back(Event::result_of(id, outcome, "said"));
    return out;
}

void expect_quiet(const Run& run) {
    EXPECT_TRUE(run.check_op.empty());
    EXPECT_TRUE(run.ended_wall.has_value());
    EXPECT_EQ(run.paused_since, 0);
    EXPECT_FALSE(next_wake(run).has_value());
    for (const auto& at : run.steps) {
        EXPECT_FALSE(at.phase != Phase::none) << at.id;
        EXPECT_NE(at.state, StepState::dispatched) << at.id;
        EXPECT_NE(at.state, StepState::running) << at.id;
        for (const auto& target : at.targets) EXPECT_FALSE(open(target)) << at.id;
    }
}

void expect_valid(const Scenario& scenario, const Transition& out, const Run& before) {
    const auto& run = out.run;
    EXPECT_TRUE(fits(scenario, run));
    const auto read = decode_run(encode_run(run));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, run);
    if (!out.changed) {
        EXPECT_EQ(run, before);
        EXPECT_TRUE(out.effects.empty());
    }
    if (ended(run.state)) expect_quiet(run);
    if (run.state == RunState::running) {
        // Something is under way, so the run cannot hang; and a time is known when to look.
        EXPECT_TRUE(next_wake(run).has_value());
        bool busy = false;
        for (const auto& at : run.steps) busy = busy || at.phase != Phase::none;
        EXPECT_TRUE(busy);
    }
    if (run.state == RunState::rolling_back) {
        EXPECT_TRUE(next_wake(run).has_value());
    }
    for (const auto& at : run.steps) {
        const bool work = at.phase != Phase::none;
        EXPECT_EQ(work, at.state == StepState::dispatched || at.state == StepState::running)
            << at.id;
        EXPECT_EQ(work, at.deadline != 0) << at.id;
    }
    for (const auto& effect : out.effects) EXPECT_FALSE(effect.op_id.empty());
}

/// What would come next in a life without trouble, with a failure now and then.
Event likely(const Run& run, std::mt19937& random, unsigned one_in) {
    const auto outcome = random() % 25 == 0       ? Outcome::unknown
                         : random() % one_in == 0 ? Outcome::failed
                         : random() % 8 == 0      ? Outcome::progress
                                                  : Outcome::ok;
    if (run.state == RunState::draft) return Event::of(Kind::start);
    if (run.state == RunState::await_approval) return by(Kind::approve);
    if (!run.check_op.empty()) return Event::result_of(run.check_op, outcome, "said");
    for (const auto& at : run.steps) {
        if (!at.check_op.empty()) return Event::result_of(at.check_op, outcome, "said");
        for (const auto& target : at.targets)
            if (open(target)) return Event::result_of(target.op_id, outcome, "said");
        if (at.phase == Phase::human) return by(Kind::answer, at.id, random() % 4 != 0);
    }
    return by(Kind::resume);
}

/// Runs in all states, with all states of steps, found by walking at random.
std::vector<Run> gather(const Scenario& scenario, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Run> out;
    for (int walk = 0; walk < 300; ++walk) {
        auto run = make_run(scenario, sample_request(walk % 2 == 0 ? "auto" : "manual"));
        auto now = kNow;
        for (int i = 0; i < 60 && !ended(run.state); ++i) {
            out.push_back(run);
            const auto events = events_for(run);
            auto event = random() % 20 != 0 ? likely(run, random, walk % 3 == 0 ? 3 : 9)
                                            : events[random() % events.size()];
            std::int64_t ms = static_cast<std::int64_t>(random() % 500);
            const auto wake = next_wake(run);
            if (wake && random() % 6 == 0) {  // nothing comes until a time is over
                event = Event::of(Kind::tick);
                ms = std::max<std::int64_t>(0, *wake - now.mono);
            }
            now.mono += ms;
            now.wall += ms;
            run = step(scenario, run, event, now).run;
        }
        out.push_back(run);
    }
    return out;
}

TEST(MachineProduct, EveryEventInEveryStateGivesAValidRun) {
    const auto scenario = scenario_of(kWhole);
    constexpr std::size_t kOfEach = 8;
    Runs by_state;
    std::map<StepState, int> step_states;
    for (auto& run : gather(scenario, 7)) {
        for (const auto& at : run.steps) ++step_states[at.state];
        by_state[run.state].push_back(std::move(run));
    }
    EXPECT_EQ(by_state.size(), 13U) << "not all run states were reached";
    for (const auto state :
         {StepState::pending,
          StepState::skipped,
          StepState::dispatched,
          StepState::running,
          StepState::ok,
          StepState::failed,
          StepState::timed_out,
          StepState::unknown_outcome,
          StepState::rolled_back})
        EXPECT_TRUE(step_states.contains(state)) << to_string(state) << " was not reached";
    // Some from the beginning of the walks, some from their ends.
    for (auto& [state, runs] : by_state) {
        Runs::mapped_type some;
        const auto stride = runs.size() / kOfEach + 1;
        for (std::size_t i = 0; i < runs.size(); i += stride) some.push_back(std::move(runs[i]));
        runs = std::move(some);
    }
    for (const auto& [state, runs] : by_state) {
        SCOPED_TRACE(to_string(state));
        for (const auto& run : runs) {
            for (const auto& event : events_for(run))
                for (const std::int64_t later : {0, 1'000, 200'000, 4'000'000}) {
                    const Moment now{run.seen.mono + later, run.seen.wall + later};
                    expect_valid(scenario, step(scenario, run, event, now), run);
                }
            if (HasFailure()) return;
        }
    }
}

struct Taken {
    RunState state;
    std::vector<Kind> events;
};

TEST(MachineProduct, EventsOfPeopleAreTakenOnlyWhereTheyMeanSomething) {
    const auto scenario = scenario_of(kWhole);
    const Taken table[] = {
        {RunState::draft, {Kind::start, Kind::abort}},
        {RunState::precheck, {Kind::abort}},
        {RunState::await_approval, {Kind::approve, Kind::abort}},
        {RunState::running, {Kind::pause, Kind::abort}},
        {RunState::paused_operator, {Kind::resume, Kind::abort}},
        {RunState::paused_step_failed, {Kind::resume, Kind::abort}},
        {RunState::rolling_back, {Kind::abort}},
        {RunState::verifying, {Kind::abort}},
        {RunState::succeeded, {}},
        {RunState::succeeded_warn, {}},
        {RunState::failed, {}},
        {RunState::cancelled, {}},
        {RunState::timed_out, {}},
    };
    const auto runs = gather(scenario, 11);
    for (const auto& [state, taken] : table)
        for (const auto& run : runs) {
            if (run.state != state) continue;
            for (const auto kind :
                 {Kind::start, Kind::approve, Kind::pause, Kind::resume, Kind::abort}) {
                const bool expected = std::find(taken.begin(), taken.end(), kind) != taken.end();
                const auto out = step(scenario, run, by(kind), run.seen);
                EXPECT_EQ(out.refused.empty(), expected)
                    << to_string(state) << " " << static_cast<int>(kind) << " " << out.refused;
            }
        }
}

}  // namespace
}  // namespace twinsite::switchover::scenario
