// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/token_buckets.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const auto kStart = TokenBuckets::Time() + std::chrono::hours(1);

TEST(TokenBuckets, LetABurstThroughThenOnePerPeriod) {
    TokenBuckets buckets(3, seconds(6));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(buckets.take("a", kStart));
    EXPECT_FALSE(buckets.take("a", kStart));
    EXPECT_EQ(buckets.wait("a", kStart), seconds(6));
    EXPECT_TRUE(buckets.take("b", kStart)) << "another key";
    EXPECT_FALSE(buckets.take("a", kStart + seconds(5)));
    EXPECT_TRUE(buckets.take("a", kStart + milliseconds(6'001)));
    EXPECT_FALSE(buckets.take("a", kStart + milliseconds(6'002)));
}

TEST(TokenBuckets, GiveBackUpToTheBurst) {
    TokenBuckets buckets(2, seconds(6));
    buckets.take("a", kStart);
    for (int i = 0; i < 5; ++i) buckets.give_back("a", kStart);
    EXPECT_TRUE(buckets.take("a", kStart));
    EXPECT_TRUE(buckets.take("a", kStart));
    EXPECT_FALSE(buckets.take("a", kStart));
}

TEST(TokenBuckets, RefuseNewKeysWhenFullUntilOldOnesRest) {
    TokenBuckets buckets(1, seconds(6), 100);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(buckets.take(std::to_string(i), kStart));
    EXPECT_FALSE(buckets.take("new", kStart));
    EXPECT_TRUE(buckets.take("new", kStart + seconds(7)));
}

}  // namespace
}  // namespace twinsite::switchover::api
