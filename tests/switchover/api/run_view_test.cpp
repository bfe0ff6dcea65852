// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/run_view.hpp"

#include <gtest/gtest.h>

#include "switchover/scenario/run.hpp"
#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover::api {
namespace {

scenario::Run run() {
    scenario::Run out;
    out.id = "r01-1";
    out.scenario = "site-east-down";
    out.state = scenario::RunState::succeeded;
    out.human_wait_ms = 4'000;
    out.marks = {1'000, 4'000, 4'100, 4'200, 9'000, 11'000};
    scenario::StepRun step;
    step.id = "pin";
    step.state = scenario::StepState::ok;
    step.targets = {{"east/if1", scenario::StepState::ok, "op", "done"}};
    out.steps = {step};
    return out;
}

TEST(RunView, RtoIsFromTheLastGoodAnswerToTheFirstThatHolds) {
    scenario::Scenario plan;
    plan.title = {"East is down", "东站故障"};
    plan.rto_target = std::chrono::seconds(10);
    const auto view = view_of(run(), &plan);
    EXPECT_EQ(view.rto_ms, 10'000U);
    EXPECT_EQ(view.rto_without_human_ms, 6'000U);
    EXPECT_EQ(view.rto_ok, true);
    EXPECT_EQ(view.title.zh, "东站故障");
    EXPECT_EQ(view.steps[0].targets[0].name, "east/if1");
}

TEST(RunView, WhenHealthAloneServedUsersNobodyWaitedForAPerson) {
    auto one = run();
    one.health_alone = true;
    EXPECT_EQ(view_of(one, nullptr).rto_without_human_ms, 10'000U);
}

TEST(RunView, WithoutMarksThereIsNoRto) {
    auto one = run();
    one.marks[5].reset();
    const auto view = view_of(one, nullptr);
    EXPECT_FALSE(view.rto_ms);
    EXPECT_FALSE(view.rto_ok);
    EXPECT_EQ(view.title.en, "site-east-down") << "a scenario that is gone";
    EXPECT_EQ(view.steps[0].title.en, "pin");
}

TEST(RunView, ClocksThatWentBackGiveNoNegativeTime) {
    auto one = run();
    one.marks[5] = 500;
    one.human_wait_ms = -3;
    const auto view = view_of(one, nullptr);
    EXPECT_EQ(view.rto_ms, 0U);
    EXPECT_EQ(view.rto_without_human_ms, 0U);
    EXPECT_EQ(view.human_wait_ms, 0U);
}

}  // namespace
}  // namespace twinsite::switchover::api
