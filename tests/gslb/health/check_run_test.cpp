// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check_run.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

const Clock::time_point kNow{5000s};
const probe::Outcome kGood{true, "", 300us};
const probe::Outcome kBad{false, "status 503", 200us};

Check check() {
    Check out;
    out.thresholds = {.up = 2, .ok = 2, .down = 2};
    return out;
}

TEST(CheckRun, KnowsNothingAtFirst) {
    const CheckRun run(check(), nullptr);
    EXPECT_EQ(run.health(), (Health{State::unknown, true, false}));
    EXPECT_FALSE(run.has_result());
    EXPECT_EQ(run.age(kNow), std::nullopt);
}

TEST(CheckRun, KeepsTheLastResultAndCountsAll) {
    CheckRun run(check(), nullptr);
    EXPECT_TRUE(run.take(kBad, kNow));
    EXPECT_EQ(run.last_error(), "status 503");
    EXPECT_TRUE(run.take(kGood, kNow + 1s)) << "pending now: answers must be cached briefly";
    EXPECT_EQ(run.health(), (Health{State::down, true, false}));
    EXPECT_TRUE(run.take(kGood, kNow + 2s));
    EXPECT_EQ(run.health(), (Health{State::up, false, false}));
    EXPECT_FALSE(run.take(kGood, kNow + 3s));
    EXPECT_EQ(run.last_error(), "");
    EXPECT_EQ(run.latency(), 300us);
    EXPECT_EQ(run.successes(), 3u);
    EXPECT_EQ(run.failures(), 1u);
    EXPECT_EQ(run.age(kNow + 5s), 2000ms);
}

TEST(CheckRun, ARecentVerdictOfAnEarlierProcessStandsAgainstOneResult) {
    CheckRun run(check(), nullptr);
    run.restore({State::down, 3s}, kNow, 10min);
    EXPECT_EQ(run.health(), (Health{State::down, false, true}));
    EXPECT_FALSE(run.has_result());
    EXPECT_EQ(run.age(kNow), 3000ms);
    EXPECT_TRUE(run.take(kGood, kNow));
    EXPECT_EQ(run.health(), (Health{State::down, true, false})) << "restored no longer";
    run.take(kGood, kNow);
    EXPECT_EQ(run.health().state, State::up);
}

TEST(CheckRun, AnOldVerdictAnswersUntilTheFirstResultDecides) {
    CheckRun run(check(), nullptr);
    run.restore({State::down, 11min}, kNow, 10min);
    EXPECT_EQ(run.health(), (Health{State::down, true, true}));
    run.take(kGood, kNow);
    EXPECT_EQ(run.health(), (Health{State::up, false, false}));
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
    EXPECT_EQ(run.health(), (Health{State::up, false, false}));
    EXPECT_TRUE(run.has_result());
    EXPECT_EQ(run.failures(), 1u);
    EXPECT_EQ(run.last_error(), "status 503");
}

TEST(CheckRun, InheritsARestoredStateAsRestored) {
    CheckRun old(check(), nullptr);
    old.restore({State::up, 11min}, kNow, 10min);
    CheckRun run(check(), nullptr);
    run.inherit(old);
    EXPECT_EQ(run.health(), (Health{State::up, true, true}));
}

}  // namespace
}  // namespace twinsite::gslb::health
