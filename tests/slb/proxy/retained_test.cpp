// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/retained.hpp"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::slb::proxy {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(RetainedStore, GivesBackWhatItWasGivenForEverySize) {
    RetainedStore store(std::size_t{256} << 20);
    for (std::size_t size = 20; size <= 65'536; size += size < 5'000 ? 4 : 1'004) {
        const Bytes message(size, static_cast<std::uint8_t>(size / 4));
        const auto ref = store.keep(message, size);
        ASSERT_NE(ref, kNotRetained) << size;
        const auto kept = store.message(ref);
        ASSERT_EQ(Bytes(kept.begin(), kept.end()), message);
        ASSERT_EQ(store.tag(ref), size);
    }
}

TEST(RetainedStore, CopiesDoNotOverlap) {
    std::mt19937 random(5);
    RetainedStore store(std::size_t{64} << 20);
    std::map<RetainedRef, Bytes> model;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 3 != 0 || model.empty()) {
            Bytes message(20 + random() % 1'500, static_cast<std::uint8_t>(random()));
            const auto ref = store.keep(message, 1);
            ASSERT_NE(ref, kNotRetained);
            ASSERT_TRUE(model.emplace(ref, std::move(message)).second);
        } else {
            const auto one = std::next(model.begin(), static_cast<long>(random() % model.size()));
            const auto kept = store.message(one->first);
            ASSERT_EQ(Bytes(kept.begin(), kept.end()), one->second);
            store.release(one->first);
            model.erase(one);
        }
        ASSERT_EQ(store.in_use(), model.size());
        if (model.size() > 500) {
            for (const auto& [ref, bytes] : model) store.release(ref);
            model.clear();
        }
    }
}

TEST(RetainedStore, UsesTheLastReleasedBlockFirst) {
    RetainedStore store(1 << 20);
    const Bytes message(400, 1);
    const auto a = store.keep(message, 1);
    const auto b = store.keep(message, 1);
    store.release(a);
    store.release(b);
    EXPECT_EQ(store.keep(message, 1), b);
    EXPECT_EQ(store.keep(message, 1), a);
}

TEST(RetainedStore, StopsAtItsLimitAndAtTooLongMessages) {
    RetainedStore store(400'000);
    const Bytes message(500, 1);
    std::size_t kept = 0;
    while (store.keep(message, 1) != kNotRetained) ++kept;
    EXPECT_GT(kept, 200u);
    EXPECT_LE(store.allocated_bytes(), 200'000u);
    RetainedStore large(std::size_t{64} << 20);
    EXPECT_EQ(large.keep(Bytes(70'000, 1), 1), kNotRetained);
}

TEST(RetainedStore, OneSizeLeavesRoomForTheOthersAndBorrowsTheirFreeBlocks) {
    RetainedStore store(4 << 20);
    const Bytes small(500, 1);
    const Bytes larger(2'000, 2);
    while (store.keep(small, 1) != kNotRetained) {
    }
    EXPECT_LE(store.allocated_bytes(), std::size_t{2} << 20);
    const auto kept = store.keep(larger, 2);
    ASSERT_NE(kept, kNotRetained);
    store.release(kept);
    const auto borrowed = store.keep(small, 3);
    ASSERT_NE(borrowed, kNotRetained);
    const auto bytes = store.message(borrowed);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), small);
    EXPECT_EQ(store.tag(borrowed), 3u);
    store.release(borrowed);
    EXPECT_EQ(store.keep(larger, 4), borrowed) << "a borrowed block goes back to its own size";
}

}  // namespace
}  // namespace twinsite::slb::proxy
