// SPDX-License-Identifier: Apache-2.0
#include "monitor/spool/spool.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::monitor::spool {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Spool, TheNewestEntryIsLiveForEveryServer) {
    Spool spool({}, 2);
    spool.add("old", seconds(1));
    const auto id = spool.add("new", seconds(2));
    for (const std::size_t server : {0, 1}) {
        const auto next = spool.next(server);
        ASSERT_TRUE(next);
        EXPECT_EQ(next->entry->text, "new");
        EXPECT_EQ(next->entry->id, id);
        EXPECT_TRUE(next->live);
    }
}

TEST(Spool, BacklogComesAfterTheLiveEntryFreshestFirst) {
    Spool spool({}, 1);
    for (const char* text : {"a", "b", "c"}) spool.add(text, seconds(1));
    std::string sent;
    while (const auto next = spool.next(0)) {
        sent += next->entry->text;
        EXPECT_EQ(next->live, next->entry->text == "c");
        spool.acknowledge(0, next->entry->id);
    }
    EXPECT_EQ(sent, "cba");
}

TEST(Spool, EachServerHasItsOwnCursor) {
    Spool spool({}, 2);
    const auto id = spool.add("a", seconds(1));
    spool.acknowledge(0, id);
    EXPECT_FALSE(spool.next(0));
    ASSERT_TRUE(spool.next(1));
    spool.add("b", seconds(2));
    EXPECT_EQ(spool.backlog(0), 0U);
    EXPECT_EQ(spool.backlog(1), 1U);
    EXPECT_EQ(spool.size(), 2U);
}

TEST(Spool, WhatAllServersHaveIsForgotten) {
    Spool spool({}, 2);
    const auto id = spool.add("four", seconds(1));
    spool.acknowledge(0, id);
    EXPECT_EQ(spool.bytes(), 4U);
    spool.acknowledge(1, id);
    spool.acknowledge(1, id);
    EXPECT_EQ(spool.bytes(), 0U);
    EXPECT_EQ(spool.size(), 0U);
}

TEST(Spool, BeyondTheBytesTheOldestGoesAndIsCounted) {
    Limits limits;
    limits.bytes = 10;
    Spool spool(limits, 2);
    const auto first = spool.add("aaaa", seconds(1));
    spool.acknowledge(0, first);
    spool.add("bbbb", seconds(2));
    spool.add("cccc", seconds(3));
    EXPECT_EQ(spool.dropped(0), 0U) << "server 0 had it already";
    EXPECT_EQ(spool.dropped(1), 1U);
    EXPECT_EQ(spool.bytes(), 8U);
}

TEST(Spool, OneEntryLargerThanTheLimitIsStillSent) {
    Limits limits;
    limits.bytes = 3;
    Spool spool(limits, 1);
    spool.add("a report", seconds(1));
    ASSERT_TRUE(spool.next(0));
    EXPECT_EQ(spool.next(0)->entry->text, "a report");
}

TEST(Spool, BacklogOlderThanADayIsGivenUp) {
    Spool spool({}, 1);
    spool.add("old", seconds(0));
    spool.add("young", hours(1));
    spool.add("live", hours(24));
    spool.trim(hours(24));
    EXPECT_EQ(spool.dropped(0), 0U);
    spool.trim(hours(24) + milliseconds(1));
    EXPECT_EQ(spool.dropped(0), 1U);
    EXPECT_EQ(spool.size(), 2U);
}

TEST(Spool, TheLiveEntryIsNeverGivenUpForItsAge) {
    Spool spool({}, 1);
    spool.add("live", seconds(0));
    spool.trim(hours(48));
    EXPECT_EQ(spool.size(), 1U);
}

TEST(Spool, ShortMemoryCostsTheBacklogOnly) {
    Spool spool({}, 1);
    for (const char* text : {"a", "b", "c"}) spool.add(text, seconds(1));
    spool.drop_backlog();
    ASSERT_TRUE(spool.next(0));
    EXPECT_TRUE(spool.next(0)->live);
    EXPECT_EQ(spool.backlog(0), 0U);
    EXPECT_EQ(spool.dropped(0), 2U);
}

TEST(Spool, RestoredEntriesAreBacklogAndOwedToTheServersOfTheMask) {
    Spool spool({}, 2);
    spool.restore("earlier", seconds(-5), 0b10);
    spool.restore("of a server that is gone", seconds(-5), 0b100);
    EXPECT_FALSE(spool.next(0));
    ASSERT_TRUE(spool.next(1));
    EXPECT_FALSE(spool.next(1)->live);
    EXPECT_EQ(spool.size(), 1U);
}

TEST(Spool, OnlyWhatLeavesTheRingGoesToDisk) {
    Limits limits;
    limits.live = 3;
    Spool spool(limits, 1);
    for (int count = 0; count < 3; ++count) spool.add("x", seconds(count));
    EXPECT_TRUE(spool.to_write(false).empty());
    spool.add("x", seconds(3));
    auto entries = spool.to_write(false);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0]->id, 1U);
    entries[0]->on_disk = true;
    EXPECT_TRUE(spool.to_write(false).empty());
    EXPECT_EQ(spool.to_write(true).size(), 3U);
}

}  // namespace
}  // namespace twinsite::monitor::spool
