// SPDX-License-Identifier: Apache-2.0
// No step begins while there is a reason against it; what is under way ends.
#include <gtest/gtest.h>

#include "tests/switchover/scenario/sample.hpp"
#include "tests/switchover/scenario/world.hpp"

namespace twinsite::switchover::scenario {
namespace {

using Kind = Event::Kind;
using Outcome = Event::Outcome;
using Texts = std::vector<std::string>;

Scenario with_steps(const std::string& steps, const std::string& more = "") {
    return scenario_of(std::string(kHead) + more + "steps:\n" + steps);
}

constexpr const char* kTwo =
    "  - {id: a, tries: 2, backoff: 1s, do: {slb.drain: {site: east, blade: b1}}, undo: "
    "{slb.activate: {site: east, blade: b1}}}\n"
    "  - {id: b, needs: [a], do: {gslb.set: {site: east, state: out}}, undo: {gslb.set: {site: "
    "east, state: in}}}\n"
    "  - {id: c, needs: [b], on_fail: rollback, do: {notify: {text: x}}}\n";

TEST(Hold, TheStepUnderWayEndsAndTheNextDoesNotBegin) {
    const auto scenario = with_steps(kTwo);
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(Event::of(Kind::start));
    player.hold = "stop";
    player.work();
    EXPECT_EQ(player.world.done, (Texts{"a slb.drain"}));
    EXPECT_EQ(player.run().state, RunState::paused_operator);
    EXPECT_EQ(player.run().output, "paused: stop");
    player.hold.clear();
    player.play(by(Kind::resume));
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Hold, ARunInItsPrecheckOrApprovedMeanwhileIsPausedBeforeItsFirstStep) {
    const auto scenario = with_steps(kTwo, "require: [site.ok(west)]\napproval: {wait: 10s}\n");
    for (const bool approved : {true, false}) {
        auto request = sample_request();
        request.mode = approved ? "manual" : "auto";
        Player player(scenario, make_run(scenario, request));
        player.give(Event::of(Kind::start));
        ASSERT_EQ(player.run().state, RunState::precheck);
        player.hold = "stop";
        player.work();
        if (!approved) {
            EXPECT_EQ(player.run().state, RunState::await_approval);
            player.play(by(Kind::approve));
        }
        EXPECT_EQ(player.run().state, RunState::paused_operator);
        EXPECT_TRUE(player.world.done.empty());
    }
}

TEST(Hold, ATryAfterABackoffDoesNotBegin) {
    const auto scenario = with_steps(kTwo);
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}};
    player.play(Event::of(Kind::start));
    ASSERT_EQ(player.step_of("a").phase, Phase::backoff);
    player.hold = "stop";
    player.pass(1'000);
    EXPECT_EQ(player.run().state, RunState::paused_operator);
    EXPECT_EQ(player.world.times("a slb.drain"), 1);
    player.hold.clear();
    player.play(by(Kind::resume));
    EXPECT_TRUE(player.play_out());
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Hold, ARunFoundAtTheStartBeginsNothingNew) {
    const auto scenario = with_steps(kTwo);
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(Event::of(Kind::start));
    player.hold = "stop";
    player.die_and_restore(5'000);
    EXPECT_EQ(player.run().state, RunState::running);  // its step is asked for again
    player.work();
    EXPECT_EQ(player.world.done, (Texts{"a slb.drain"}));
    EXPECT_EQ(player.run().state, RunState::paused_operator);
}

TEST(Hold, UndoingStopsBetweenTwoStepsAndGoesOn) {
    const auto scenario = with_steps(kTwo);
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["c"] = {{Outcome::failed, "no"}};
    player.play(Event::of(Kind::start));
    ASSERT_EQ(player.run().state, RunState::failed);

    Player held(scenario, make_run(scenario, sample_request()));
    held.world.script["c"] = {{Outcome::failed, "no"}};
    held.give(Event::of(Kind::start));
    while (held.run().state == RunState::running) {
        const auto effect = held.waiting().front();
        held.waiting().pop_front();
        held.give(*held.world.carry_out(effect));
    }
    ASSERT_EQ(held.run().state, RunState::rolling_back);
    held.hold = "stop";
    held.work();
    EXPECT_EQ(held.run().state, RunState::paused_operator);
    EXPECT_TRUE(held.run().undoing);
    EXPECT_EQ(held.step_of("b").state, StepState::rolled_back);
    EXPECT_EQ(held.step_of("a").state, StepState::ok);
    EXPECT_NE(held.give(by(Kind::retry, "c")), "");
    EXPECT_NE(held.give(by(Kind::skip, "a")), "");
    held.die_and_restore(7'000);
    EXPECT_EQ(held.run().state, RunState::paused_operator);
    held.hold.clear();
    held.play(by(Kind::resume));
    EXPECT_EQ(held.run().state, RunState::failed);
    EXPECT_FALSE(held.run().undoing);
    EXPECT_EQ(held.world.done, player.world.done);
}

TEST(Hold, ARunWhoseStepsAreDoneIsStillVerified) {
    const auto scenario =
        with_steps("  - {id: a, do: {notify: {text: x}}}\n", "verify: {check: [site.ok(west)]}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(Event::of(Kind::start));
    player.hold = "stop";
    player.work();
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

}  // namespace
}  // namespace twinsite::switchover::scenario
