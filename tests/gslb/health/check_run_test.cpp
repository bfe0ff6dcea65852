// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check_run.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

const Clock::time_point kNow{5000s};
const probe::Outcome kGood{true, "", 300us};
const probe::Outcome kBad{false, "status 503", 200us};

/// Without what is tested apart.
Health shape(Health health) {
    health.soonest_change_s = Health::kNever;
    return health;
}

Check check() {
    Check out;
    out.thresholds = {.up = 2, .ok = 2, .down = 2};
    return out;
}

TEST(CheckRun, KnowsNothingAtFirst) {
    const CheckRun run(check(), nullptr);
    EXPECT_EQ(shape(run.health()), (Health{State::unknown, true, false}));
    EXPECT_FALSE(run.has_result());
    EXPECT_EQ(run.age(kNow), std::nullopt);
}

TEST(CheckRun, KeepsTheLastResultAndCountsAll) {
    CheckRun run(check(), nullptr);
    EXPECT_TRUE(run.take(kBad, kNow));
    EXPECT_EQ(run.last_error(), "status 503");
    EXPECT_TRUE(run.take(kGood, kNow + 1s)) << "pending now: answers must be cached briefly";
    EXPECT_EQ(shape(run.health()), (Health{State::down, true, false}));
    EXPECT_TRUE(run.take(kGood, kNow + 2s));
    EXPECT_EQ(shape(run.health()), (Health{State::up, false, false}));
    EXPECT_FALSE(run.take(kGood, kNow + 3s));
    EXPECT_EQ(run.last_error(), "");
    EXPECT_EQ(run.latency(), 300us);
    EXPECT_EQ(run.successes(), 3u);
    EXPECT_EQ(run.failures(), 1u);
    EXPECT_EQ(run.age(kNow + 5s), 2000ms);
}

TEST(CheckRun, ARecentVerdictOfAnEarlierProcessStandsAgainstOneResult) {
    CheckRun run(check(), nullptr);
    run.restore({State::down, 3s, {}, {}}, kNow, 10min);
    EXPECT_EQ(shape(run.health()), (Health{State::down, false, true}));
    EXPECT_FALSE(run.has_result());
    EXPECT_EQ(run.age(kNow), 3000ms);
    EXPECT_TRUE(run.take(kGood, kNow));
    EXPECT_EQ(shape(run.health()), (Health{State::down, true, false})) << "restored no longer";
    run.take(kGood, kNow);
    EXPECT_EQ(run.health().state, State::up);
}

TEST(CheckRun, AnOldVerdictAnswersUntilTheFirstResultDecides) {
    CheckRun run(check(), nullptr);
    run.restore({State::down, 11min, {}, {}}, kNow, 10min);
    EXPECT_EQ(shape(run.health()), (Health{State::down, true, true}));
    run.take(kGood, kNow);
    EXPECT_EQ(shape(run.health()), (Health{State::up, false, false}));
}

TEST(CheckRun, InheritsStateAndHistoryButNotTheCounters) {
    CheckRun old(check(), nullptr);
    old.take(kGood, kNow);
    old.take(kBad, kNow);
    ASSERT_TRUE(old.health().pending);
    auto changed = check();
    changed.thresholds.down = 3;
    CheckRun run(changed, nullptr);
    run.inherit(old);
    EXPECT_EQ(shape(run.health()), (Health{State::up, false, false}));
    EXPECT_TRUE(run.has_result());
    EXPECT_EQ(run.failures(), 1u);
    EXPECT_EQ(run.last_error(), "status 503");
}

TEST(CheckRun, InheritsARestoredStateAsRestored) {
    CheckRun old(check(), nullptr);
    old.restore({State::up, 11min, {}, {}}, kNow, 10min);
    CheckRun run(check(), nullptr);
    run.inherit(old);
    EXPECT_EQ(shape(run.health()), (Health{State::up, true, true}));
}

Check pushed_check() {
    auto out = check();
    out.question.ask = probe::PushAsk{"db"};
    return out;
}

TEST(PushedRun, HoldsWhatItIsToldUntilItIsTooOld) {
    CheckRun run(pushed_check(), nullptr);
    EXPECT_EQ(run.health().state, State::unknown);
    EXPECT_TRUE(run.push({State::up, 30s, 10s, ""}, kNow));
    EXPECT_EQ(run.health().state, State::up) << "one word is enough";
    EXPECT_EQ(run.age(kNow), 10'000ms);
    EXPECT_EQ(run.expires(), kNow + 20s);
    EXPECT_FALSE(run.expire(kNow + 19s));
    EXPECT_TRUE(run.push({State::down, 30s, 0s, "disk full"}, kNow + 19s));
    EXPECT_EQ(run.last_error(), "disk full");
    EXPECT_FALSE(run.expire(kNow + 48s));
    EXPECT_TRUE(run.expire(kNow + 49s));
    EXPECT_EQ(run.health().state, State::unknown) << "neither up nor down";
    EXPECT_FALSE(run.expires());
}

TEST(PushedRun, AWordThatComesTooLateOrTakesBackMakesUnknown) {
    CheckRun run(pushed_check(), nullptr);
    EXPECT_FALSE(run.push({State::up, 30s, 30s, ""}, kNow));
    EXPECT_EQ(run.health().state, State::unknown);
    run.push({State::up, 30s, 0s, ""}, kNow);
    EXPECT_TRUE(run.push({State::unknown, 30s, 0s, ""}, kNow));
    EXPECT_EQ(run.health().state, State::unknown);
}

TEST(PushedRun, IsSavedWithWhatIsLeftOfItsTime) {
    CheckRun run(pushed_check(), nullptr);
    EXPECT_FALSE(run.to_save(kNow));
    run.push({State::down, 30s, 0s, ""}, kNow);
    const auto saved = run.to_save(kNow + 10s).value();
    EXPECT_EQ(saved, (SavedVerdict{State::down, 10s, {}, 20s}));
    CheckRun next(pushed_check(), nullptr);
    next.restore(saved, kNow, 10min);
    EXPECT_EQ(next.health().state, State::down);
    EXPECT_TRUE(next.health().restored);
    EXPECT_TRUE(next.expire(kNow + 20s));
    CheckRun late(pushed_check(), nullptr);
    late.restore({State::down, 40s, {}, 0s}, kNow, 10min);
    EXPECT_EQ(late.health().state, State::unknown) << "it was over when we came back";
}

TEST(CheckRun, AHoldDownOutlivesARestart) {
    auto held = check();
    held.thresholds.hold_down = 60s;
    CheckRun run(held, nullptr);
    run.take(kGood, kNow);
    run.take(kBad, kNow);
    run.take(kBad, kNow);
    const auto saved = run.to_save(kNow + 10s).value();
    EXPECT_EQ(saved.hold_left, 50'000ms);
    CheckRun next(held, nullptr);
    next.restore(saved, kNow, 10min);
    next.take(kGood, kNow + 1s);
    next.take(kGood, kNow + 2s);
    EXPECT_EQ(next.health().state, State::down);
    next.take(kGood, kNow + 51s);
    EXPECT_EQ(next.health().state, State::up);
}

}  // namespace
}  // namespace twinsite::gslb::health
