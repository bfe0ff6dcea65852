// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/seen_reports.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace twinsite::switchover::fleet {
namespace {

TEST(SeenReports, EachNumberIsNewOnceWhateverTheOrder) {
    SeenReports seen;
    for (const std::uint64_t seq : {5U, 3U, 9U, 4U, 0U}) EXPECT_TRUE(seen.add("a", seq)) << seq;
    for (const std::uint64_t seq : {0U, 3U, 4U, 5U, 9U}) EXPECT_FALSE(seen.add("a", seq)) << seq;
    EXPECT_TRUE(seen.add("a", 8));
}

TEST(SeenReports, ANewRunOfTheSenderCountsAnew) {
    SeenReports seen;
    EXPECT_TRUE(seen.add("a", 1));
    EXPECT_TRUE(seen.add("b", 1));
    EXPECT_FALSE(seen.add("a", 1));
    EXPECT_FALSE(seen.add("b", 1));
}

TEST(SeenReports, AWholeWindowIsRememberedWhileItMoves) {
    SeenReports seen;
    for (std::uint64_t seq = 0; seq < 10'000; ++seq) {
        ASSERT_TRUE(seen.add("a", seq)) << seq;
        ASSERT_FALSE(seen.add("a", seq)) << seq;
        if (seq >= 4'000) {
            ASSERT_FALSE(seen.add("a", seq - 4'000)) << seq;
        }
    }
}

TEST(SeenReports, AJumpForgetsWhatLeftTheWindowOnly) {
    SeenReports seen;
    seen.add("a", 10);
    seen.add("a", 4'100);
    EXPECT_FALSE(seen.add("a", 10));
    EXPECT_TRUE(seen.add("a", 11));
    seen.add("a", ~std::uint64_t{0});
    EXPECT_FALSE(seen.add("a", ~std::uint64_t{0}));
    EXPECT_TRUE(seen.add("a", ~std::uint64_t{0} - 1));
    EXPECT_TRUE(seen.add("a", 4'100)) << "too old to be known: rather twice than never";
}

TEST(SeenReports, OldRunsAreForgottenSoThatMemoryIsBounded) {
    SeenReports seen;
    seen.add("first", 1);
    for (int i = 0; i < 1'000; ++i) seen.add("run" + std::to_string(i), 1);
    EXPECT_TRUE(seen.add("first", 1));
    EXPECT_FALSE(seen.add("run999", 1));
}

TEST(SeenReports, TheLargestNumberIsOneLikeOthers) {
    SeenReports seen;
    const auto most = std::numeric_limits<std::uint64_t>::max();
    EXPECT_TRUE(seen.add("boot", most - 1));
    EXPECT_TRUE(seen.add("boot", most));
    EXPECT_FALSE(seen.add("boot", most));
    EXPECT_FALSE(seen.add("boot", most - 1));
}

}  // namespace
}  // namespace twinsite::switchover::fleet
