// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/track.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

TEST(Track, FailedBecomesOkOnlyAfterGoodForLongEnough) {
    const auto rules = quick_rules();  // 2 s
    Track track;
    EXPECT_TRUE(track.step(Level::confirmed, at_ms(0), rules));
    EXPECT_EQ(track.state(), State::failed);
    EXPECT_TRUE(track.step(Level::good, at_ms(1000), rules));
    EXPECT_EQ(track.state(), State::recovering);
    EXPECT_FALSE(track.step(Level::good, at_ms(2999), rules));
    EXPECT_TRUE(track.step(Level::good, at_ms(3000), rules));
    EXPECT_EQ(track.state(), State::ok);
    EXPECT_EQ(track.since(), at_ms(3000));
}

TEST(Track, AnyBreakBeginsTheTimeAnew) {
    const auto rules = quick_rules();
    for (const auto level : {Level::bad, Level::blind, Level::none}) {
        Track track;
        track.step(Level::confirmed, at_ms(0), rules);
        track.step(Level::good, at_ms(1000), rules);
        track.step(level, at_ms(2500), rules);
        EXPECT_EQ(track.state(), State::recovering);
        track.step(Level::good, at_ms(3000), rules);
        track.step(Level::good, at_ms(4999), rules);
        EXPECT_EQ(track.state(), State::recovering);
        track.step(Level::good, at_ms(5000), rules);
        EXPECT_EQ(track.state(), State::ok);
    }
}

TEST(Track, ActionsAndBlindnessRestartTheTimer) {
    const auto rules = quick_rules();
    for (const bool by_action : {true, false}) {
        Track track;
        track.step(Level::confirmed, at_ms(0), rules);
        track.step(Level::good, at_ms(1000), rules);
        if (by_action)
            track.acted(at_ms(2900));
        else
            track.restart_timers();
        track.step(Level::good, at_ms(3000), rules);
        EXPECT_EQ(track.state(), State::recovering);
        track.step(Level::good, at_ms(5000), rules);
        EXPECT_EQ(track.state(), State::ok);
    }
}

TEST(Track, ChangesBetweenPeriodsAllCount) {
    const auto rules = quick_rules();  // one judged sample a second
    Track track;
    track.step(Level::good, at_ms(0), rules);
    bool good = true;
    for (std::int64_t ms = 100; ms <= 1000; ms += 100)
        track.step((good = !good) ? Level::good : Level::bad, at_ms(ms), rules);
    EXPECT_TRUE(track.flapping());
}

TEST(Track, CalmEndsFlappingByPeriodsNotByTicks) {
    const auto rules = quick_rules();
    Track track;
    for (std::int64_t ms = 0; ms <= 2000; ms += 100)
        track.step(ms % 200 == 0 ? Level::good : Level::bad, at_ms(ms), rules);
    ASSERT_TRUE(track.flapping());
    std::int64_t ms = 2000;
    while (track.flapping()) track.step(Level::good, at_ms(ms += 100), rules);
    // About three quarters of 21 samples, one a second.
    EXPECT_GT(ms, 2000 + 13'000);
    EXPECT_LT(ms, 2000 + 18'000);
}

TEST(Track, BlindAndMissingSamplesDoNotFlap) {
    const auto rules = quick_rules();
    Track track;
    for (std::int64_t ms = 0; ms <= 30'000; ms += 100)
        track.step(ms % 200 == 0 ? Level::good : Level::blind, at_ms(ms), rules);
    EXPECT_EQ(track.flap_percent(), 0);
}

TEST(Track, TheWorseOfTwoWordsCounts) {
    EXPECT_EQ(worst(Level::good, Level::none), Level::good);
    EXPECT_EQ(worst(Level::none, Level::good), Level::good);
    EXPECT_EQ(worst(Level::good, Level::bad), Level::bad);
    EXPECT_EQ(worst(Level::confirmed, Level::good), Level::confirmed);
    EXPECT_EQ(worst(Level::none, Level::none), Level::none);
}

}  // namespace
}  // namespace twinsite::switchover::judge
