// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/history.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover::store {
namespace {

std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch()
    )
        .count();
}

class HistoryTest : public testing::Test {
protected:
    HistorySettings settings() const { return {.file = folder_.file("history.db")}; }
    tests::TemporaryFolder folder_;
};

TEST_F(HistoryTest, PointsComeBackInOrder) {
    const auto now = now_ms();
    const auto history = History::open(settings());
    ASSERT_TRUE(history);
    (*history)->append(
        {{"east/if1", "cpu.idle", now - 1000, 80.5},
         {"east/if1", "cpu.idle", now - 3000, 70},
         {"east/if1", "memory.used_percent", now, 40},
         {"west/if1", "cpu.idle", now, 1}}
    );
    (*history)->flush();
    const auto points = (*history)->query("east/if1", "cpu.idle", now - 5000);
    ASSERT_TRUE(points);
    ASSERT_EQ(points->size(), 2U);
    EXPECT_EQ(points->at(0), std::pair(now - 3000, 70.0));
    EXPECT_EQ(points->at(1), std::pair(now - 1000, 80.5));
    EXPECT_EQ((*history)->query("east/if1", "cpu.idle", now - 2000)->size(), 1U);
    EXPECT_TRUE((*history)->query("east/none", "cpu.idle", 0)->empty());
    EXPECT_EQ(
        *(*history)->metrics("east/if1"),
        (std::vector<std::string>{"cpu.idle", "memory.used_percent"})
    );
    EXPECT_EQ((*history)->counters().written, 4U);
}

TEST_F(HistoryTest, TheSamePointTwiceIsOnePoint) {
    const auto now = now_ms();
    const auto history = History::open(settings());
    (*history)->append({{"h/a", "m", now, 1}});
    (*history)->append({{"h/a", "m", now, 1}});
    (*history)->flush();
    EXPECT_EQ((*history)->query("h/a", "m", 0)->size(), 1U);
}

TEST_F(HistoryTest, WhatWasWrittenIsThereAfterARestart) {
    const auto now = now_ms();
    {
        const auto history = History::open(settings());
        (*history)->append({{"h/a", "m", now, 1}});
    }
    const auto history = History::open(settings());
    EXPECT_EQ((*history)->query("h/a", "m", 0)->size(), 1U);
}

TEST_F(HistoryTest, OldPointsGo) {
    const auto now = now_ms();
    auto short_keep = settings();
    short_keep.keep = std::chrono::hours(1);
    const auto history = History::open(short_keep);
    (*history)->append(
        {{"h/a", "m", now - 2 * 3'600'000, 1},
         {"h/a", "m", now, 2},
         {"h/a", "gone", now - 2 * 3'600'000, 1}}
    );
    (*history)->flush();
    EXPECT_EQ(*(*history)->metrics("h/a"), std::vector<std::string>{"m"});
    // A series that comes anew is not taken for the one that is gone.
    (*history)->append({{"h/b", "new", now, 3}, {"h/a", "gone", now, 4}});
    (*history)->flush();
    EXPECT_EQ((*history)->query("h/b", "new", 0)->size(), 1U);
    EXPECT_EQ((*history)->query("h/a", "gone", 0)->at(0).second, 4);
    const auto points = (*history)->query("h/a", "m", 0);
    ASSERT_EQ(points->size(), 1U);
    EXPECT_EQ(points->at(0).second, 2);
}

TEST_F(HistoryTest, BeyondItsSizeTheOldestHoursGo) {
    const auto now = now_ms();
    auto small = settings();
    small.max_bytes = 200'000;
    const auto history = History::open(small);
    std::vector<HistoryPoint> points;
    for (int i = 0; i < 10'000; ++i)
        points.push_back({"h/a", "m", now - 36'000'000 + i * 3'600, 1.0 * i});
    (*history)->append(points);
    for (int i = 0; i < 9; ++i) (*history)->flush();
    const auto left = (*history)->query("h/a", "m", 0, 100'000);
    ASSERT_TRUE(left);
    EXPECT_LT(left->size(), 9'000U);
    EXPECT_EQ(left->back().second, 9'999);
}

TEST_F(HistoryTest, ManyPointsAreThinnedAndTheNewestStays) {
    const auto now = now_ms();
    const auto history = History::open(settings());
    std::vector<HistoryPoint> points;
    for (int i = 0; i < 1'001; ++i) points.push_back({"h/a", "m", now - 1'001 + i, 1.0 * i});
    (*history)->append(points);
    (*history)->flush();
    const auto thin = (*history)->query("h/a", "m", 0, 100);
    ASSERT_TRUE(thin);
    EXPECT_LE(thin->size(), 100U);
    EXPECT_GE(thin->size(), 80U);
    EXPECT_EQ(thin->back().second, 1'000);
}

TEST_F(HistoryTest, AQueueThatIsFullDropsAndCounts) {
    auto small = settings();
    small.queue = 10;
    small.write_every = std::chrono::hours(1);
    const auto history = History::open(small);
    std::vector<HistoryPoint> points(25, {"h/a", "m", 0, 0});
    (*history)->append(points);
    EXPECT_EQ((*history)->counters().dropped, 15U);
}

TEST_F(HistoryTest, ADamagedFileIsMovedAside) {
    std::ofstream(settings().file) << std::string(20'000, 'x');
    const auto history = History::open(settings());
    ASSERT_TRUE(history) << history.error().message();
    EXPECT_TRUE(std::filesystem::exists(settings().file + ".damaged"));
    (*history)->append({{"h/a", "m", now_ms(), 1}});
    (*history)->flush();
    EXPECT_EQ((*history)->query("h/a", "m", 0)->size(), 1U);
}

}  // namespace
}  // namespace twinsite::switchover::store
