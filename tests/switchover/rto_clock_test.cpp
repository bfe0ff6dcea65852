// SPDX-License-Identifier: Apache-2.0
#include "switchover/rto_clock.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover {
namespace {

using std::chrono::milliseconds;

TEST(RtoClock, AStopLastsFromTheLastGoodAnswerToTheFirstOfAnUnbrokenRun) {
    RtoClock clock(milliseconds(2'000));
    clock.observe("east", true, 1'000);
    clock.observe("east", true, 1'500);
    EXPECT_FALSE(clock.stops_since(0, 1'500));
    clock.observe("east", false, 2'000);
    clock.observe("east", false, 2'500);
    ASSERT_TRUE(clock.stops_since(0, 2'500));
    EXPECT_EQ(clock.stops_since(0, 2'500)->last_good, 1'500);
    EXPECT_EQ(clock.stops_since(0, 2'500)->first_bad, 2'000);
    clock.observe("east", true, 3'000);  // one lucky answer
    clock.observe("east", false, 3'500);
    clock.observe("east", true, 4'000);
    clock.observe("east", true, 5'900);
    EXPECT_FALSE(clock.stops_since(0, 5'900)->over);
    clock.observe("east", true, 6'000);
    const auto stop = clock.stops_since(0, 6'000);
    EXPECT_EQ(stop->last_good, 1'500);
    EXPECT_EQ(stop->over, 4'000);
}

TEST(RtoClock, AllViewsCountTogether) {
    RtoClock clock(milliseconds(0));
    clock.observe("east", true, 900);
    clock.observe("west", true, 1'000);
    clock.observe("east", false, 1'400);
    clock.observe("west", false, 1'500);
    clock.observe("east", true, 2'000);
    EXPECT_FALSE(clock.stops_since(0, 2'000)->over);
    clock.observe("west", true, 3'000);
    const auto stop = clock.stops_since(0, 3'000);
    EXPECT_EQ(stop->last_good, 900);
    EXPECT_EQ(stop->over, 3'000);
}

TEST(RtoClock, StopsThatWereOverBeforeDoNotCount) {
    RtoClock clock(milliseconds(0));
    clock.observe("east", true, 100);
    clock.observe("east", false, 200);
    clock.observe("east", true, 300);
    EXPECT_TRUE(clock.stops_since(300, 400));
    EXPECT_FALSE(clock.stops_since(301, 400));
}

TEST(RtoClock, AnObserverThatFellSilentHoldsNothingOpen) {
    RtoClock clock(milliseconds(0));
    clock.observe("by mon-east", true, 1'000);
    clock.observe("by mon-west", true, 1'000);
    clock.observe("by mon-east", false, 2'000);  // its last word
    clock.observe("by mon-west", false, 2'000);
    clock.observe("by mon-west", true, 4'000);
    EXPECT_FALSE(clock.stops_since(0, 4'000)->over);
    clock.observe("by mon-west", true, 12'500);
    const auto stop = clock.stops_since(0, 12'500);
    ASSERT_TRUE(stop);
    EXPECT_EQ(stop->over, 4'000);
}

TEST(RtoClock, AnEarlierStopOfItsOwnDoesNotBelongToTheIncident) {
    RtoClock clock(milliseconds(0));
    clock.observe("east", true, 900);
    clock.observe("east", false, 1'000);
    clock.observe("east", true, 2'000);  // over, and users are well
    clock.observe("east", true, 4'900);
    clock.observe("west", true, 5'900);
    clock.observe("east", false, 5'000);
    clock.observe("west", false, 6'000);  // begins before the other is over
    clock.observe("east", true, 7'000);
    clock.observe("west", true, 8'000);
    const auto stop = clock.stops_since(0, 8'000, 7'500);
    ASSERT_TRUE(stop);
    EXPECT_EQ(stop->last_good, 4'900);
    EXPECT_EQ(stop->over, 8'000);
    clock.observe("east", false, 9'000);  // what follows the trigger counts
    clock.observe("east", true, 10'000);
    EXPECT_EQ(clock.stops_since(0, 10'000, 7'500)->over, 10'000);
    EXPECT_EQ(clock.stops_since(0, 10'000, 7'500)->last_good, 4'900);
}

TEST(RtoClock, ForARunThatAnswersNothingOnlyStopsCountThatBeginUnderIt) {
    RtoClock clock(milliseconds(0));
    clock.observe("east", true, 900);
    clock.observe("east", false, 1'000);
    clock.observe("east", true, 2'000);
    EXPECT_FALSE(clock.stops_begun_since(1'500, 2'000));
    clock.observe("east", false, 3'000);
    ASSERT_TRUE(clock.stops_begun_since(1'500, 3'000));
    EXPECT_EQ(clock.stops_begun_since(1'500, 3'000)->last_good, 2'000);
}

TEST(RtoClock, AGoodAnswerFromBeforeASilenceIsNoLastGoodOne) {
    RtoClock clock(milliseconds(1'000));
    clock.observe("east", true, 1'000);
    clock.observe("east", false, 60'000);
    EXPECT_FALSE(clock.stops_since(0, 60'000)->last_good);
    clock.observe("east", true, 61'000);
    clock.observe("east", true, 90'000);  // nor is one the beginning of an unbroken run
    EXPECT_FALSE(clock.stops_since(0, 90'000)->over);
    clock.observe("east", true, 91'000);
    EXPECT_EQ(clock.stops_since(0, 91'000)->over, 90'000);
}

TEST(RtoClock, AfterARestartTheStopGoesOnFromTheStoredMark) {
    RtoClock clock(milliseconds(1'000));
    clock.resume(5'000, 100'000);
    clock.observe("east", true, 20'000);
    EXPECT_EQ(clock.stops_since(10'000, 20'000)->last_good, 5'000);
    clock.observe("east", true, 21'000);
    EXPECT_EQ(clock.stops_since(10'000, 21'000)->over, 20'000);
}

}  // namespace
}  // namespace twinsite::switchover
