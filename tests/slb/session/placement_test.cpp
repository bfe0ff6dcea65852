// SPDX-License-Identifier: Apache-2.0
#include "slb/session/placement.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace twinsite::slb::session;

constexpr unsigned kIdle = 10;

TEST(Placement, RemembersWhereASessionWasPlaced) {
    Placement table(1000, kIdle);
    EXPECT_FALSE(table.find(7, 0));
    ASSERT_TRUE(table.place(7, 2, 0));
    EXPECT_EQ(table.find(7, 0), BladeIndex{2});
    EXPECT_EQ(table.sessions(2), 1u);
    table.release(7);
    EXPECT_FALSE(table.find(7, 0));
    EXPECT_EQ(table.sessions(2), 0u);
    EXPECT_EQ(table.size(), 0u);
}

TEST(Placement, MovingASessionMovesTheCount) {
    Placement table(1000, kIdle);
    table.place(7, 2, 0);
    table.place(7, 3, 0);
    EXPECT_EQ(table.find(7, 0), BladeIndex{3});
    EXPECT_EQ(table.sessions(2), 0u);
    EXPECT_EQ(table.sessions(3), 1u);
    EXPECT_EQ(table.size(), 1u);
}

TEST(Placement, AHitRenewsTheIdleTime) {
    Placement table(1000, kIdle);
    table.place(7, 1, 0);
    EXPECT_TRUE(table.find(7, 9));
    EXPECT_TRUE(table.find(7, 18));
    EXPECT_FALSE(table.find(7, 28)) << "idle for ten ticks since the last hit";
}

TEST(Placement, IdleTimeSurvivesTheWrapOfTheTick) {
    Placement table(1000, kIdle);
    table.place(7, 1, 65'530);
    EXPECT_TRUE(table.find(7, 65'535));
    EXPECT_TRUE(table.find(7, 5));
    EXPECT_FALSE(table.find(7, 15));
}

TEST(Placement, SweepRemovesIdleSessionsWithoutAnyTraffic) {
    Placement table(10'000, kIdle);
    for (Tag tag = 1; tag <= 3000; ++tag) table.place(tag * 0x9e3779b97f4a7c15ULL, 1, 0);
    EXPECT_EQ(table.sweep(kIdle - 1, table.capacity_slots()), 0u);
    std::size_t removed = 0;
    // A removal spends a step without advancing, so a full round takes slots + entries steps.
    for (int i = 0; i < 20; ++i) removed += table.sweep(kIdle, table.capacity_slots() / 8);
    EXPECT_EQ(removed, 3000u);
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.sessions(1), 0u);
}

TEST(Placement, VoidingABladeForgetsItsSessionsAtOnce) {
    Placement table(1000, kIdle);
    table.place(7, 1, 0);
    table.place(8, 2, 0);
    table.void_blade(1);
    EXPECT_FALSE(table.find(7, 0));
    EXPECT_TRUE(table.find(8, 0));
    EXPECT_EQ(table.sessions(1), 0u);
    EXPECT_EQ(table.size(), 1u);
    ASSERT_TRUE(table.place(7, 1, 0)) << "the blade is back as a new node";
    EXPECT_EQ(table.find(7, 0), BladeIndex{1});
    EXPECT_EQ(table.sessions(1), 1u);
}

TEST(Placement, VoidSessionsAreSweptWithoutTouchingTheCounts) {
    Placement table(1000, kIdle);
    for (Tag tag = 1; tag <= 100; ++tag) table.place(tag << 40 | tag, 1, 0);
    table.void_blade(1);
    table.place(5, 1, 0);
    EXPECT_EQ(table.sweep(0, table.capacity_slots()), 100u);
    EXPECT_EQ(table.sessions(1), 1u);
}

TEST(Placement, RefusesNewSessionsWhenFullButServesKnownOnes) {
    Placement table(10, kIdle);
    for (Tag tag = 1; tag <= 10; ++tag) ASSERT_TRUE(table.place(tag, 1, 0));
    EXPECT_FALSE(table.place(11, 1, 0));
    EXPECT_TRUE(table.place(5, 2, 0)) << "moving needs no room";
    table.release(1);
    EXPECT_TRUE(table.place(11, 1, 0));
}

// The model is a std::map; the table is grown, shrunk, voided and swept at random beside it.
TEST(Placement, AgreesWithAMapThroughGrowthAndRemoval) {
    std::mt19937_64 random(4);
    Placement table(1'000'000, 1000);
    std::map<Tag, BladeIndex> model;
    std::vector<Tag> known;
    for (int step = 0; step < 300'000; ++step) {
        const auto action = random() % 100;
        if (action < 60 || known.empty()) {
            const Tag tag = random() | 1;
            const auto blade = static_cast<BladeIndex>(random() % 5);
            ASSERT_TRUE(table.place(tag, blade, 0));
            model[tag] = blade;
            known.push_back(tag);
        } else if (action < 80) {
            const auto tag = known[random() % known.size()];
            table.release(tag);
            model.erase(tag);
        } else if (action < 99 || random() % 500 != 0) {
            const auto tag = known[random() % known.size()];
            const auto found = table.find(tag, 0);
            const auto expected = model.find(tag);
            ASSERT_EQ(found.has_value(), expected != model.end());
            if (found) ASSERT_EQ(*found, expected->second);
        } else {
            const auto gone = static_cast<BladeIndex>(random() % 5);
            table.void_blade(gone);
            std::erase_if(model, [&](const auto& entry) { return entry.second == gone; });
            table.sweep(0, 64);
        }
        if (step % 10'000 == 0) ASSERT_EQ(table.size(), model.size());
    }
    EXPECT_GT(table.capacity_slots(), 65'536u) << "the test must have grown the table";
    for (const auto& [tag, blade] : model) ASSERT_EQ(table.find(tag, 0), blade);
    ASSERT_EQ(table.size(), model.size());
    while (table.sweep(1000, table.capacity_slots()) != 0) {
    }
    EXPECT_EQ(table.size(), 0u);
}

}  // namespace
