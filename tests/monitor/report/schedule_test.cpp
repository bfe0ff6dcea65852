// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/schedule.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::monitor::report {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Schedule, IsDueOncePerIntervalAtItsPhase) {
    const Schedule schedule("twinsite://east/agent/if1", seconds(10));
    EXPECT_GE(schedule.phase(), milliseconds(0));
    EXPECT_LT(schedule.phase(), seconds(10));
    auto due = schedule.next(seconds(1'000));
    EXPECT_GT(due, seconds(1'000));
    EXPECT_LE(due, seconds(1'010));
    for (int turn = 0; turn < 5; ++turn) {
        EXPECT_EQ((due - schedule.phase()) % seconds(10), milliseconds(0));
        EXPECT_EQ(schedule.next(due), due + seconds(10)) << "strictly after";
        due = schedule.next(due);
    }
}

TEST(Schedule, WhatWasMissedIsNotMadeUpFor) {
    const Schedule schedule("a", seconds(10));
    const auto due = schedule.next(seconds(500));
    EXPECT_EQ(schedule.next(due + seconds(35)), due + seconds(40));
}

TEST(Schedule, TimesBeforeTheStartOfTheClockWork) {
    const Schedule schedule("a", milliseconds(7));
    for (int now = -30; now < 30; ++now) {
        const auto due = schedule.next(milliseconds(now));
        EXPECT_GT(due, milliseconds(now));
        EXPECT_LE(due, milliseconds(now + 7));
    }
}

TEST(Schedule, AThousandAgentsAreSpreadOverTheInterval) {
    std::vector<int> tenths(10);
    for (int agent = 0; agent < 1'000; ++agent) {
        const Schedule schedule("twinsite://east/agent/if" + std::to_string(agent), seconds(10));
        ++tenths[static_cast<std::size_t>(schedule.phase() / seconds(1))];
    }
    EXPECT_LT(*std::max_element(tenths.begin(), tenths.end()), 150);
    EXPECT_GT(*std::min_element(tenths.begin(), tenths.end()), 50);
}

}  // namespace
}  // namespace twinsite::monitor::report
