// SPDX-License-Identifier: Apache-2.0
// Runs under way while automation is paused, or while the judge is blind.
#include <gtest/gtest.h>

#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;
using scenario::RunState;

const api::Actor kLi{"li", "127.0.0.1"};

/// A run of east-down whose first effect waits.
void begin_run(Town& town) {
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
}

void pause(Town& town) {
    ASSERT_TRUE(std::holds_alternative<api::Done>(town.conductor().pause(kLi, "works", std::nullopt)
    ));
}

std::string refused(Town& town, api::RunVerb verb, const std::string& answer = {}) {
    api::RunOrder order;
    order.run = town.stored_runs()[0].id;
    order.verb = verb;
    order.answer = answer;
    order.reason = "x";
    const auto outcome = town.conductor().order_run(kLi, order);
    const auto* refusal = std::get_if<api::Refusal>(&outcome);
    return refusal == nullptr ? "" : refusal->rule.empty() ? refusal->text : refusal->rule;
}

TEST(ConductorHolds, APauseStopsARunInItsPrecheck) {
    Town town;
    begin_run(town);
    ASSERT_EQ(town.stored_runs()[0].state, RunState::precheck);
    pause(town);
    town.hold_effects = false;
    town.pass(10s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_TRUE(town.executed.empty());
    EXPECT_EQ(refused(town, api::RunVerb::resume), "pause");
    EXPECT_EQ(refused(town, api::RunVerb::retry), "pause");
    EXPECT_EQ(refused(town, api::RunVerb::skip), "pause");
    ASSERT_TRUE(std::holds_alternative<api::Done>(town.conductor().unpause(kLi)));
    EXPECT_EQ(refused(town, api::RunVerb::resume), "");
    town.pass(15s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded);
}

TEST(ConductorHolds, NothingIsApprovedUnderAPause) {
    std::string source = Town::kEastDown;
    source.insert(source.find("defaults:"), "approval: {wait: 60s}\n");
    Town town({source, Town::kFailback});
    begin_run(town);
    town.hold_effects = false;
    ASSERT_TRUE(
        town.pass_until([&] { return town.stored_runs()[0].state == RunState::await_approval; }, 5s)
    );
    pause(town);
    EXPECT_EQ(refused(town, api::RunVerb::answer, "yes"), "pause");
    town.pass(5s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::await_approval);
    EXPECT_EQ(refused(town, api::RunVerb::answer, "no"), "");
    EXPECT_EQ(town.stored_runs()[0].state, RunState::cancelled);
}

TEST(ConductorHolds, APauseHoldsARunThatIsFoundAtTheStart) {
    Town town;
    begin_run(town);
    pause(town);
    town.restart();
    town.hold_effects = false;
    town.pass(20s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_TRUE(town.executed.empty());
}

TEST(ConductorHolds, AnAutomaticRunBeginsNoStepWhileTheJudgeIsBlind) {
    Town town;
    begin_run(town);
    town.link = false;
    town.pass(20s);
    ASSERT_TRUE(town.conductor().judge().verdicts().blind.is);
    town.hold_effects = false;
    town.pass(1s);
    // Its requirement cannot be met meanwhile, or is, as the effects' side has it: no step begins.
    EXPECT_TRUE(town.executed.empty());
    EXPECT_FALSE(town.is_wanted_out("east"));
}

TEST(ConductorHolds, BlindnessPausesAnAutomaticRunBetweenTwoSteps) {
    Town town;
    begin_run(town);
    town.pass(500ms);
    town.answer_effects();  // the requirement
    ASSERT_EQ(town.stored_runs()[0].state, RunState::running);
    town.link = false;
    town.pass(3s);
    ASSERT_TRUE(town.conductor().judge().verdicts().blind.is);
    town.hold_effects = false;
    town.pass(1s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_EQ(town.stored_runs()[0].steps[0].state, scenario::StepState::ok);
    EXPECT_EQ(town.executed.size(), 1U);
    EXPECT_EQ(refused(town, api::RunVerb::resume), "blind");
    town.link = true;
    town.pass(10s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_EQ(refused(town, api::RunVerb::resume), "");
    town.pass(15s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded);
}

TEST(ConductorHolds, AfterARestartWithoutAnybodyHeardAnAutomaticRunIsPaused) {
    Town town;
    begin_run(town);
    town.pass(500ms);
    town.answer_effects();
    town.hold_effects = false;
    town.link = false;
    town.restart();
    town.pass(3s);
    EXPECT_TRUE(town.executed.empty());
    town.pass(60s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_LE(town.executed.size(), 1U);  // what was dispatched before
}

}  // namespace
}  // namespace twinsite::switchover
