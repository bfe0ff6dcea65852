// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/schedule.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

const Clock::time_point kStart{1000s};

TEST(Schedule, TheTimeOfTheRunIsPartOfTheInterval) {
    EXPECT_EQ(next_start(kStart, kStart + 3s, 10s, 0), kStart + 10s);
}

TEST(Schedule, ALongRunIsFollowedAtOnceAndNothingIsCaughtUpOn) {
    EXPECT_EQ(next_start(kStart, kStart + 35s, 10s, 0), kStart + 35s);
}

TEST(Schedule, JitterOnlyEverShortensAndByATenthAtMost) {
    const auto earliest = kStart + 9s;
    const std::uint64_t span = 1'000'000'000;  // a tenth of 10 s in nanoseconds
    EXPECT_EQ(next_start(kStart, kStart, 10s, span), earliest);
    EXPECT_EQ(next_start(kStart, kStart, 10s, span + 1), kStart + 10s) << "wraps around";
    for (std::uint64_t random = 1; random != 0; random *= 2) {
        const auto next = next_start(kStart, kStart, 10s, random);
        EXPECT_GE(next, earliest);
        EXPECT_LE(next, kStart + 10s);
    }
}

}  // namespace
}  // namespace twinsite::gslb::health
