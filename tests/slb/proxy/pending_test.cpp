// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/pending.hpp"

#include <deque>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::slb::proxy {
namespace {

// S-T10: the generation wraps while one request stays unanswered.
TEST(PendingSlots, IdsDoNotCollideAcrossTheWrap) {
    PendingSlots slots(16, 0xfffe);
    auto* const unanswered = slots.take();
    unanswered->end_to_end = 1;
    const auto held = slots.hop_by_hop(*unanswered);
    std::set<std::uint32_t> live{held};
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < 5; ++i) {
        auto* const slot = slots.take();
        slot->end_to_end = 100 + i;
        ids.push_back(slots.hop_by_hop(*slot));
        EXPECT_TRUE(live.insert(ids.back()).second);
    }
    for (const auto i : {3u, 0u, 4u, 2u, 1u}) {
        auto* const slot = slots.find(ids[i], 100 + i);
        ASSERT_NE(slot, nullptr);
        slots.release(*slot);
    }
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        auto* const slot = slots.take();
        slot->end_to_end = 1'000 + i;
        const auto id = slots.hop_by_hop(*slot);
        ASSERT_NE(id, held);
        ASSERT_EQ(slots.find(id, 1'000 + i), slot);
        slots.release(*slot);
        ASSERT_EQ(slots.find(id, 1'000 + i), nullptr);
    }
    EXPECT_EQ(slots.find(held, 1), unanswered);
}

TEST(PendingSlots, AnOldGenerationWithTheSameNumberIsToldByTheEndToEndId) {
    PendingSlots slots(1);
    auto* slot = slots.take();
    slot->end_to_end = 1;
    const auto id = slots.hop_by_hop(*slot);
    for (int i = 0; i < 65'536; ++i) {
        slots.release(*slot);
        slot = slots.take();
        slot->end_to_end = 2;
    }
    EXPECT_EQ(slots.hop_by_hop(*slot), id);
    EXPECT_EQ(slots.find(id, 1), nullptr);
    EXPECT_EQ(slots.find(id, 2), slot);
}

TEST(PendingSlots, LimitHolds) {
    PendingSlots slots(3);
    for (int i = 0; i < 3; ++i) ASSERT_NE(slots.take(), nullptr);
    EXPECT_TRUE(slots.full());
    EXPECT_EQ(slots.take(), nullptr);
    slots.release(*slots.oldest());
    EXPECT_NE(slots.take(), nullptr);
}

TEST(PendingSlots, AllOfThemCanBeUsed) {
    PendingSlots slots(65'536);
    std::set<std::uint32_t> indexes;
    for (int i = 0; i < 65'536; ++i) {
        auto* const slot = slots.take();
        ASSERT_NE(slot, nullptr);
        indexes.insert(slots.hop_by_hop(*slot) & 0xffff);
    }
    EXPECT_EQ(indexes.size(), 65'536u);
    EXPECT_EQ(slots.take(), nullptr);
}

TEST(PendingSlots, MadeUpIdsFindNothing) {
    PendingSlots slots(65'536);
    EXPECT_EQ(slots.find(0, 0), nullptr);
    EXPECT_EQ(slots.find(0xffffffff, 0), nullptr);
    slots.take();
    EXPECT_EQ(slots.find(0x0001ffff, 0), nullptr);
    EXPECT_EQ(slots.find(0x00020000, 0), nullptr);
}

TEST(PendingSlots, OldestFollowsTheOrderOfSending) {
    std::mt19937 random(3);
    PendingSlots slots(1'000);
    std::deque<Pending*> model;
    for (int i = 0; i < 50'000; ++i) {
        if (random() % 2 == 0 || model.empty()) {
            if (auto* const slot = slots.take()) model.push_back(slot);
        } else {
            const auto at = model.begin() + static_cast<long>(random() % model.size());
            slots.release(**at);
            model.erase(at);
        }
        ASSERT_EQ(slots.size(), model.size());
        ASSERT_EQ(slots.oldest(), model.empty() ? nullptr : model.front());
    }
    while (!model.empty()) {
        ASSERT_EQ(slots.oldest(), model.front());
        slots.release(*model.front());
        model.pop_front();
    }
}

}  // namespace
}  // namespace twinsite::slb::proxy
