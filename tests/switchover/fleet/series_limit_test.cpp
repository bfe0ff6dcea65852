// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/series_limit.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::fleet {
namespace {

using std::chrono::hours;

TEST(SeriesLimit, NamesBeyondItAreRefusedAndThoseThereGoOn) {
    SeriesLimit limit;
    const auto now = Time() + hours(100);
    for (int i = 0; i < 1'000; ++i)
        EXPECT_EQ(limit.take("disk.used_percent@/" + std::to_string(i), now), i < 256) << i;
    EXPECT_TRUE(limit.take("disk.used_percent@/7", now));
    EXPECT_EQ(limit.size(), 256U);
}

TEST(SeriesLimit, OneThatIsNotUsedAnyMoreMakesRoom) {
    SeriesLimit limit;
    const auto then = Time() + hours(100);
    for (int i = 0; i < 256; ++i) limit.take(std::to_string(i), then);
    EXPECT_FALSE(limit.take("new", then + hours(23)));
    limit.take("0", then + hours(23));
    EXPECT_TRUE(limit.take("new", then + hours(25)));
    EXPECT_EQ(limit.size(), 2U);
}

}  // namespace
}  // namespace twinsite::switchover::fleet
