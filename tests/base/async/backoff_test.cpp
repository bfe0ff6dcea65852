// SPDX-License-Identifier: Apache-2.0
#include "base/async/backoff.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::base::async {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, TheCeilingDoublesUpToTheMaximum) {
    Backoff backoff(100ms, 1500ms, [] { return 0; });
    std::vector<std::chrono::milliseconds> ceilings;
    for (int i = 0; i < 6; ++i) {
        ceilings.push_back(backoff.ceiling());
        EXPECT_EQ(backoff.next(), 0ms) << "full jitter reaches down to nothing";
    }
    const std::vector<std::chrono::milliseconds> expected{
        100ms, 200ms, 400ms, 800ms, 1500ms, 1500ms
    };
    EXPECT_EQ(ceilings, expected);
}

TEST(Backoff, JitterComesAfterTheCap) {
    std::uint64_t random = 0;
    Backoff backoff(100ms, 100ms, [&] { return random; });
    random = 100;
    EXPECT_EQ(backoff.next(), 100ms);
    random = 101;
    EXPECT_EQ(backoff.next(), 0ms) << "also at the cap the whole range is used";
}

TEST(Backoff, StaysInsideItsCeilingAndSpreadsOverIt) {
    std::mt19937_64 random(7);
    Backoff backoff(1ms, 1000ms, [&] { return random(); });
    for (int i = 0; i < 10; ++i) backoff.next();
    auto least = 1000ms;
    auto most = 0ms;
    for (int i = 0; i < 1000; ++i) {
        const auto delay = backoff.next();
        least = std::min(least, delay);
        most = std::max(most, delay);
        ASSERT_LE(delay, 1000ms);
    }
    EXPECT_LT(least, 20ms);
    EXPECT_GT(most, 980ms);
}

TEST(Backoff, StartsAgainAfterASuccess) {
    Backoff backoff(100ms, 5000ms, [] { return 0; });
    backoff.next();
    backoff.next();
    backoff.reset();
    EXPECT_EQ(backoff.ceiling(), 100ms);
}

TEST(Backoff, ALongLineOfFailuresDoesNotOverflow) {
    Backoff backoff(1ms, std::chrono::milliseconds::max(), [] { return ~std::uint64_t{0}; });
    for (int i = 0; i < 200; ++i) EXPECT_GE(backoff.next(), 0ms);
    EXPECT_EQ(backoff.ceiling(), std::chrono::milliseconds::max());
}

}  // namespace
}  // namespace twinsite::base::async
