// SPDX-License-Identifier: Apache-2.0
#include "wire/group/stamp.hpp"

#include <gtest/gtest.h>

namespace twinsite::wire::group {
namespace {

TEST(GroupStamp, EpochCountsBeforeClockAndClockBeforeNode) {
    EXPECT_LT((Stamp{1, 900, "b"}), (Stamp{2, 1, "a"}));
    EXPECT_LT((Stamp{1, 1, "b"}), (Stamp{1, 2, "a"}));
    EXPECT_LT((Stamp{1, 1, "a"}), (Stamp{1, 1, "b"}));
}

TEST(HybridClock, GrowsThoughTheWallClockGoesBack) {
    HybridClock clock;
    const auto first = clock.tick(1'000);
    EXPECT_EQ(first, std::uint64_t{1'000} << 16U);
    EXPECT_EQ(clock.tick(900), first + 1);
    EXPECT_EQ(clock.tick(1'000), first + 2);
    EXPECT_EQ(clock.tick(1'001), std::uint64_t{1'001} << 16U);
}

TEST(HybridClock, WhatIsSaidAfterHearingIsLaterThanWhatWasHeard) {
    HybridClock ahead;
    HybridClock behind;
    const auto heard = ahead.tick(5'000'000);
    behind.see(heard);
    EXPECT_GT(behind.tick(10), heard);
    behind.see(3);
    EXPECT_GT(behind.last(), heard);
}

}  // namespace
}  // namespace twinsite::wire::group
