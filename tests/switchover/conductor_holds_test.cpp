// SPDX-License-Identifier: Apache-2.0
// Runs under way while automation is paused, or while the judge is blind.
#include <gtest/gtest.h>

#include "switchover/alarms.hpp"
#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;
using scenario::RunState;

const store::AuditDraft kLi{"li", "127.0.0.1", "test.ask", "", "done", "test"};

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

/// Of the alarm with this code, if it stands; texts of the console go by these words.
std::string alarm_param(Town& town, const std::string& code, const std::string& name) {
    Alarms alarms;
    for (const auto& alarm : alarms.look(town.conductor(), {}))
        if (alarm.code == code)
            for (const auto& [key, value] : alarm.params)
                if (key == name) return value;
    return {};
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

/// A run of east-down that is paused after its first step, as the judge has become blind.
void pause_by_blindness(Town& town) {
    begin_run(town);
    town.pass(500ms);
    town.answer_effects();  // the requirement
    ASSERT_EQ(town.stored_runs()[0].state, RunState::running);
    town.link = false;
    town.pass(3s);
    ASSERT_TRUE(town.conductor().judge().verdicts().blind.is);
    town.hold_effects = false;
    town.pass(1s);
    ASSERT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    ASSERT_EQ(town.stored_runs()[0].held, "blind");
    EXPECT_EQ(alarm_param(town, "blind", "why_code"), "no-outsiders");
    EXPECT_EQ(town.stored_runs()[0].steps[0].state, scenario::StepState::ok);
    EXPECT_EQ(town.executed.size(), 1U);
}

TEST(ConductorHolds, AfterBlindnessAnAutomaticRunGoesOnWhenItsTriggerHoldsAgain) {
    Town town;
    pause_by_blindness(town);
    EXPECT_EQ(refused(town, api::RunVerb::resume), "blind");
    town.link = true;
    ASSERT_TRUE(town.pass_until(
        [&] {
            const auto run = town.stored_runs()[0];
            return run.output.find("until its trigger holds") != std::string::npos;
        },
        3s
    )) << town.stored_runs()[0].output;
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator) << "timers begin anew";
    EXPECT_EQ(alarm_param(town, "run-waits", "why_code"), "blind");
    town.pass(25s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded) << town.stored_runs()[0].output;
    EXPECT_EQ(town.audited("run.resume"), 1U);
    EXPECT_EQ(town.begun(), 1U);
}

TEST(ConductorHolds, ASiteThatCameBackMeanwhileLeavesTheRunToAPerson) {
    Town town;
    pause_by_blindness(town);
    town.east = true;
    town.link = true;
    town.pass(60s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_FALSE(town.is_wanted_out("east"));
    EXPECT_EQ(refused(town, api::RunVerb::resume), "") << "a person may";
}

TEST(ConductorHolds, WhoTookAutomationAwayMeanwhileIsHeeded) {
    Town town;
    pause_by_blindness(town);
    ASSERT_TRUE(std::holds_alternative<api::Done>(
        town.conductor().set_mode(kLi, "east-down", "semi", "I look at it myself")
    ));
    town.link = true;
    town.pass(60s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::paused_operator);
    EXPECT_NE(town.stored_runs()[0].output.find("not auto any more"), std::string::npos);
}

TEST(ConductorHolds, AfterBlindnessARunGoesOnOverARestartToo) {
    Town town;
    pause_by_blindness(town);
    town.restart();
    town.link = true;
    town.pass(40s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded) << town.stored_runs()[0].output;
    EXPECT_EQ(town.begun(), 1U);
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
