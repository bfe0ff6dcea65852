// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/memory.hpp"

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

TEST(Memory, UsedIsTotalLessAvailable) {
    const auto info = parse_meminfo(
        "MemTotal:       24683620 kB\nMemFree:        20000000 kB\nMemAvailable:   24094744 kB\n"
        "SwapTotal:          1000 kB\nSwapFree:            250 kB\nHugePages_Total:       0\n"
    );
    ASSERT_TRUE(info);
    const auto use = measure_memory(*info, std::nullopt);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->max_bytes, 24'683'620ULL * 1024);
    EXPECT_EQ(use->used_bytes, (24'683'620ULL - 24'094'744ULL) * 1024);
    EXPECT_EQ(use->available_bytes, 24'094'744ULL * 1024);
    EXPECT_NEAR(use->used_percent, 2.3857, 0.001);
    EXPECT_DOUBLE_EQ(use->swap_used_percent, 75.0);
}

TEST(Memory, AvailableZeroIsZeroAndAbsentIsAbsent) {
    const auto full = parse_meminfo("MemTotal: 100 kB\nMemAvailable: 0 kB\n");
    ASSERT_TRUE(full);
    EXPECT_DOUBLE_EQ(measure_memory(*full, std::nullopt)->used_percent, 100.0);
    const auto old = parse_meminfo("MemTotal: 100 kB\nMemFree: 50 kB\n");
    ASSERT_TRUE(old);
    EXPECT_FALSE(measure_memory(*old, std::nullopt));
    EXPECT_FALSE(parse_meminfo("MemFree: 50 kB\n"));
    EXPECT_FALSE(parse_meminfo(""));
}

TEST(Memory, ALimitBelowTheMachineCountsInItsPlace) {
    const auto info = parse_meminfo("MemTotal: 1000 kB\nMemAvailable: 900 kB\n");
    const auto use = measure_memory(*info, MemoryLimit{400 * 1024, 100 * 1024});
    EXPECT_EQ(use->max_bytes, 400ULL * 1024);
    EXPECT_EQ(use->used_bytes, 100ULL * 1024);
    EXPECT_DOUBLE_EQ(use->used_percent, 25.0);
    const auto above = measure_memory(*info, MemoryLimit{4000 * 1024, 100 * 1024});
    EXPECT_EQ(above->max_bytes, 1000ULL * 1024);
    EXPECT_DOUBLE_EQ(above->used_percent, 10.0);
}

}  // namespace
}  // namespace twinsite::monitor::collect
