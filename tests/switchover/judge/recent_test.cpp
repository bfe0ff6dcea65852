// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/recent.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

// Results every second, good for three of them.
Truth after(std::initializer_list<bool> results) {
    Recent recent;
    std::int64_t ms = 0;
    for (const bool good : results) recent.add(good, at_ms(ms += 1000), 1s, 3);
    return recent.majority(at_ms(ms));
}

TEST(Recent, TwoOfTheLastThreeDecide) {
    EXPECT_EQ(after({}), Truth::unknown);
    EXPECT_EQ(after({true}), Truth::unknown);
    EXPECT_EQ(after({false}), Truth::unknown);
    EXPECT_EQ(after({true, false}), Truth::unknown);
    EXPECT_EQ(after({true, true}), Truth::yes);
    EXPECT_EQ(after({false, false}), Truth::no);
    EXPECT_EQ(after({true, true, false}), Truth::yes);
    EXPECT_EQ(after({false, false, true}), Truth::no);
    EXPECT_EQ(after({true, true, true, false, false}), Truth::no);
}

TEST(Recent, ResultsGrowStale) {
    Recent recent;
    recent.add(true, at_ms(1000), 1s, 3);
    recent.add(true, at_ms(2000), 1s, 3);
    EXPECT_EQ(recent.majority(at_ms(5000)), Truth::yes);
    EXPECT_EQ(recent.majority(at_ms(5001)), Truth::unknown);
}

TEST(Recent, AfterSilenceTheRowStartsAnew) {
    Recent recent;
    recent.add(true, at_ms(1000), 1s, 3);
    recent.add(true, at_ms(2000), 1s, 3);
    recent.add(true, at_ms(60'000), 1s, 3);
    EXPECT_EQ(recent.majority(at_ms(60'000)), Truth::unknown);
    EXPECT_EQ(recent.good_since(), at_ms(60'000));
    EXPECT_FALSE(recent.fresh(at_ms(63'001)));
}

TEST(Recent, TheSameResultToldAgainIsOne) {
    Recent recent;
    EXPECT_TRUE(recent.add(false, at_ms(1000), 1s, 3));
    EXPECT_FALSE(recent.add(false, at_ms(1000), 1s, 3));
    EXPECT_FALSE(recent.add(false, at_ms(1040), 1s, 3));  // its age was reckoned anew
    EXPECT_FALSE(recent.add(false, at_ms(960), 1s, 3));
    EXPECT_EQ(recent.majority(at_ms(1100)), Truth::unknown);
}

TEST(Recent, RarelyMadeResultsLastLonger) {
    // Reports each second, but the probe runs every 10 s.
    Recent recent;
    recent.add(true, at_ms(10'000), 4s, 3);
    recent.add(true, at_ms(20'000), 4s, 3);
    EXPECT_EQ(recent.majority(at_ms(50'000)), Truth::yes);
    EXPECT_EQ(recent.majority(at_ms(50'001)), Truth::unknown);
}

TEST(Recent, GoodRunBreaksAtTheFirstBadResult) {
    Recent recent;
    recent.add(true, at_ms(1000), 1s, 3);
    recent.add(true, at_ms(2000), 1s, 3);
    EXPECT_EQ(recent.good_since(), at_ms(1000));
    recent.add(false, at_ms(3000), 1s, 3);
    EXPECT_FALSE(recent.good_since());
    recent.add(true, at_ms(4000), 1s, 3);
    EXPECT_EQ(recent.good_since(), at_ms(4000));
}

}  // namespace
}  // namespace twinsite::switchover::judge
