// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/lint.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/switchover/scenario/sample.hpp"

namespace twinsite::switchover::scenario {
namespace {

bool has(const Lint& report, const std::string& code) {
    return std::any_of(report.remarks.begin(), report.remarks.end(), [&](const Remark& remark) {
        return remark.code == code;
    });
}

TEST(Lint, WorstCaseIsTheLongestWay) {
    const auto report = lint(scenario_of(kWhole), {Milliseconds(70'000), Milliseconds(60'000)});
    // drain 10, tell-all 22, steer 22, rest 2*2+2, look 60; announce is off the way.
    EXPECT_EQ(report.steps, Milliseconds(120'000));
    // detection 70, trigger 3, DNS 60, verify 20.
    EXPECT_EQ(report.worst_case, Milliseconds(273'000));
    EXPECT_EQ(report.with_approval, Milliseconds(363'000));
    EXPECT_TRUE(report.auto_allowed());
}

TEST(Lint, TooSlowForItsTargetMayNotStartByItself) {
    auto scenario = scenario_of(kWhole);
    scenario.rto_target = Milliseconds(142'000);
    const auto report = lint(scenario);
    EXPECT_EQ(report.worst_case, Milliseconds(143'000));
    EXPECT_TRUE(has(report, "too-slow"));
    EXPECT_FALSE(report.auto_allowed());
}

TEST(Lint, ApprovalMayMakeItTooSlow) {
    auto scenario = scenario_of(kWhole);
    scenario.rto_target = Milliseconds(200'000);
    const auto report = lint(scenario);
    EXPECT_TRUE(has(report, "approval-too-slow"));
    EXPECT_TRUE(report.auto_allowed());
    EXPECT_NE(report.remarks[0].text.find("within 57s"), std::string::npos)
        << report.remarks[0].text;
}

TEST(Lint, DatabaseStepsAndFailbacksNeedAPerson) {
    const auto database = scenario_of(
        std::string(kHead) +
        "steps: [{id: a, do: {agent.run: {host: west/proc1, action: db.promote}}}]\n"
    );
    EXPECT_TRUE(has(lint(database), "database-step"));
    EXPECT_FALSE(lint(database).auto_allowed());
    auto failback = scenario_of(kWhole);
    failback.kind = Kind::failback;
    EXPECT_FALSE(lint(failback).auto_allowed());
    EXPECT_TRUE(has(lint(failback), "failback"));
}

TEST(Lint, SaysWhatIsMissing) {
    const auto report =
        lint(scenario_of(std::string(kHead) + "steps: [{id: a, human: {ask: Ready}}]\n"));
    EXPECT_TRUE(has(report, "no-target"));
    EXPECT_TRUE(has(report, "no-verify"));
    EXPECT_TRUE(has(report, "human-step"));
    EXPECT_TRUE(report.auto_allowed());
}

}  // namespace
}  // namespace twinsite::switchover::scenario
