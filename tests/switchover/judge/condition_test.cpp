// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/condition.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using enum ConditionState;

// Idle CPU below 10 %, good again from 20 %: 3 of 3 samples for 30 s.
ConditionRule idle_rule() {
    ConditionRule out;
    out.side = Side::below;
    out.enter = 10;
    out.leave = 20;
    out.hold = 30s;
    out.m = 3;
    out.n = 3;
    out.no_data_after = 30s;
    return out;
}

Time at_s(std::int64_t seconds) {
    return at_ms(seconds * 1000);
}

TEST(Condition, BadRunsThatBreakNeverFire) {
    // M-T1: two bad, one good, two bad ... every 10 s.
    const auto rule = idle_rule();
    Condition condition(rule);
    for (std::int64_t i = 0; i < 60; ++i) {
        const bool bad = i % 3 != 2;
        ASSERT_TRUE(condition.sample(bad ? 3 : 80, at_s(i * 10)));
        EXPECT_EQ(condition.evaluate(at_s(i * 10)), bad ? pending : clear) << i;
        EXPECT_EQ(condition.evaluate(at_ms(i * 10'000 + 9'999)), bad ? pending : clear) << i;
    }
}

TEST(Condition, ThreeBadInARowFireOnceWithinHoldAndOneInterval) {
    const auto rule = idle_rule();
    Condition condition(rule);
    condition.sample(80, at_s(0));
    unsigned fired = 0;
    std::optional<Time> first;
    auto before = clear;
    for (std::int64_t ms = 500; ms <= 120'000; ms += 500) {
        if (ms % 10'000 == 0) condition.sample(3, at_ms(ms));  // bad from 10 s on
        const auto now = condition.evaluate(at_ms(ms));
        if (now == firing && before != firing) {
            ++fired;
            first = at_ms(ms);
        }
        before = now;
    }
    EXPECT_EQ(fired, 1U);
    ASSERT_TRUE(first);
    EXPECT_EQ(*first - at_s(10), 30s);
    EXPECT_EQ(condition.since(), at_s(10));
}

TEST(Condition, HoldIsExactToTheMillisecond) {
    auto rule = idle_rule();
    rule.m = rule.n = 1;
    Condition early(rule);
    early.sample(3, at_s(0));
    early.sample(3, at_ms(29'999));
    EXPECT_EQ(early.evaluate(at_ms(29'999)), pending);
    EXPECT_EQ(early.lasted(), 29'999ms);
    Condition exact(rule);
    exact.sample(3, at_s(0));
    exact.sample(3, at_ms(30'000));
    EXPECT_EQ(exact.evaluate(at_ms(30'000)), firing);
}

TEST(Condition, SilenceDoesNotMakeItFire) {
    const auto rule = idle_rule();
    Condition condition(rule);
    for (const auto s : {0, 10, 20}) condition.sample(3, at_s(s));
    // Three of three are bad since 20 s only: 30 s are over on the clock, not in the samples.
    EXPECT_EQ(condition.evaluate(at_s(40)), pending);
    EXPECT_EQ(condition.evaluate(at_s(50)), pending);
}

TEST(Condition, EnterAndLeaveAreDifferentLevels) {
    auto rule = idle_rule();
    rule.hold = 0s;
    Condition condition(rule);
    std::int64_t s = 0;
    const auto feed = [&](double value) {
        condition.sample(value, at_s(s += 10));
        return condition.evaluate(at_s(s));
    };
    EXPECT_EQ(feed(10), clear);  // the level itself is good
    EXPECT_EQ(feed(9.9), pending);
    EXPECT_EQ(feed(9.9), pending);
    EXPECT_EQ(feed(9.9), firing);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(feed(15), firing);  // better, but not well
    EXPECT_EQ(feed(20), firing);
    EXPECT_EQ(feed(20), firing);
    EXPECT_EQ(feed(20), clear);
}

TEST(Condition, OneLuckySampleDoesNotEndIt) {
    auto rule = idle_rule();
    rule.hold = 0s;
    Condition condition(rule);
    std::int64_t s = 0;
    for (int i = 0; i < 3; ++i) condition.sample(3, at_s(s += 10));
    for (int i = 0; i < 20; ++i) {
        condition.sample(i % 3 == 2 ? 3 : 90, at_s(s += 10));  // never three good in a row
        EXPECT_EQ(condition.evaluate(at_s(s)), firing) << i;
    }
}

TEST(Condition, MOfNForgivesSomeGoodSamples) {
    auto rule = idle_rule();
    rule.m = 2;
    rule.hold = 20s;
    Condition condition(rule);
    condition.sample(3, at_s(0));
    condition.sample(90, at_s(10));
    EXPECT_EQ(condition.evaluate(at_s(10)), clear);
    condition.sample(3, at_s(20));  // two of three; 20 s since the first bad one
    EXPECT_EQ(condition.evaluate(at_s(20)), firing);
    EXPECT_EQ(condition.bad(), 2U);
}

TEST(Condition, AboveIsTheOtherSide) {
    auto rule = idle_rule();
    rule.side = Side::above;
    rule.enter = 98;
    rule.leave = 95;
    rule.hold = 0s;
    rule.m = rule.n = 1;
    Condition condition(rule);
    condition.sample(98, at_s(0));
    EXPECT_EQ(condition.evaluate(at_s(0)), clear);
    condition.sample(98.1, at_s(1));
    EXPECT_EQ(condition.evaluate(at_s(1)), firing);
    condition.sample(96, at_s(2));
    EXPECT_EQ(condition.evaluate(at_s(2)), firing);
    condition.sample(95, at_s(3));
    EXPECT_EQ(condition.evaluate(at_s(3)), clear);
}

// M-T2: success below 95 % with at least 20 requests.
ConditionRule success_rule() {
    ConditionRule out;
    out.side = Side::below;
    out.enter = 0.95;
    out.leave = 0.97;
    out.hold = 0s;
    out.m = 1;
    out.n = 1;
    out.min_volume = 20;
    return out;
}

TEST(Condition, OneFailedRequestIsInsufficientAndMuchTrafficIsNot) {
    const auto rule = success_rule();
    Condition condition(rule);
    EXPECT_FALSE(condition.sample(0.0, at_s(0), 1));
    EXPECT_EQ(condition.evaluate(at_s(0)), insufficient);
    EXPECT_FALSE(condition.sample(0.0, at_s(10), 19));
    EXPECT_EQ(condition.evaluate(at_s(10)), insufficient);
    EXPECT_TRUE(condition.sample(0.94, at_s(20), 1000));
    EXPECT_EQ(condition.evaluate(at_s(20)), firing);
}

TEST(Condition, VolumeAtTheMinimumIsJudged) {
    const auto rule = success_rule();
    Condition condition(rule);
    EXPECT_TRUE(condition.sample(0.949, at_s(0), 20));
    EXPECT_EQ(condition.evaluate(at_s(0)), firing);
    Condition at_floor(rule);
    at_floor.sample(0.95, at_s(0), 1000);
    EXPECT_EQ(at_floor.evaluate(at_s(0)), clear);
}

TEST(Condition, TooLittleVolumeDoesNotEndWhatFires) {
    const auto rule = success_rule();
    Condition condition(rule);
    condition.sample(0.5, at_s(0), 1000);
    condition.sample(1.0, at_s(10), 1);
    EXPECT_EQ(condition.evaluate(at_s(10)), firing);
}

TEST(Condition, KeepsItsJudgementWithoutDataForATimeThenKnowsNothing) {
    auto rule = idle_rule();
    rule.hold = 0s;
    Condition condition(rule);
    for (const auto s : {0, 10, 20}) condition.sample(3, at_s(s));
    EXPECT_EQ(condition.evaluate(at_ms(50'000)), firing);  // fresh to the last millisecond
    EXPECT_EQ(condition.evaluate(at_ms(50'001)), firing);  // kept
    EXPECT_EQ(condition.evaluate(at_ms(80'000)), firing);
    EXPECT_EQ(condition.evaluate(at_ms(80'001)), unknown);
    condition.sample(80, at_s(90));
    EXPECT_EQ(condition.evaluate(at_s(90)), clear);
}

TEST(Condition, NoDataMayCountAsBadOrGood) {
    auto rule = idle_rule();
    rule.no_data = NoData::fail;
    Condition strict(rule);
    EXPECT_EQ(strict.evaluate(at_s(0)), unknown);  // there never was any
    strict.sample(80, at_s(0));
    EXPECT_EQ(strict.evaluate(at_ms(30'000)), clear);
    EXPECT_EQ(strict.evaluate(at_ms(30'001)), pending);
    EXPECT_EQ(strict.evaluate(at_ms(59'999)), pending);
    EXPECT_EQ(strict.evaluate(at_ms(60'000)), firing);
    auto lax_rule = idle_rule();
    lax_rule.no_data = NoData::ok;
    lax_rule.hold = 0s;
    Condition lax(lax_rule);
    for (const auto s : {0, 10, 20}) lax.sample(3, at_s(s));
    EXPECT_EQ(lax.evaluate(at_s(20)), firing);
    EXPECT_EQ(lax.evaluate(at_s(60)), clear);
}

TEST(Condition, OldAndRepeatedSamplesAreNotJudged) {
    auto rule = idle_rule();
    rule.hold = 0s;
    Condition condition(rule);
    EXPECT_TRUE(condition.sample(3, at_s(100)));
    EXPECT_FALSE(condition.sample(3, at_s(100)));
    EXPECT_FALSE(condition.sample(3, at_s(50)));  // backfill
    EXPECT_EQ(condition.bad(), 1U);
}

TEST(Condition, CountersRestartAfterAnAction) {
    auto rule = idle_rule();
    rule.hold = 0s;
    rule.grace = 15s;
    Condition condition(rule);
    for (const auto s : {0, 10, 20}) condition.sample(3, at_s(s));
    ASSERT_EQ(condition.evaluate(at_s(20)), firing);
    condition.restart(at_s(25));
    EXPECT_EQ(condition.evaluate(at_s(25)), unknown);
    EXPECT_FALSE(condition.sample(3, at_s(30)));  // it is still starting
    EXPECT_FALSE(condition.sample(3, at_ms(39'999)));
    EXPECT_TRUE(condition.sample(3, at_s(40)));
    EXPECT_EQ(condition.evaluate(at_s(40)), pending);
    condition.sample(3, at_s(50));
    condition.sample(3, at_s(60));
    EXPECT_EQ(condition.evaluate(at_s(60)), firing);
}

}  // namespace
}  // namespace twinsite::switchover::judge
