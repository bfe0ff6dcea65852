// SPDX-License-Identifier: Apache-2.0
#include "tools/load/histogram.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace twinsite::tools::load {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(Histogram, IsExactForSmallValues) {
    Histogram histogram;
    for (int i = 1; i <= 100; ++i) histogram.record(nanoseconds(i));
    EXPECT_EQ(histogram.count(), 100U);
    EXPECT_EQ(histogram.percentile(0.50), 50ns);
    EXPECT_EQ(histogram.percentile(0.99), 99ns);
    EXPECT_EQ(histogram.percentile(0.991), 100ns);
    EXPECT_EQ(histogram.percentile(1.0), 100ns);
    EXPECT_EQ(histogram.percentile(0.0), 1ns);
}

TEST(Histogram, IsEmptyWhenEmptyAndCountsNegativeAsZero) {
    Histogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), 0ns);
    histogram.record(-5ns);
    EXPECT_EQ(histogram.percentile(1.0), 0ns);
    EXPECT_EQ(histogram.max(), 0ns);
}

TEST(Histogram, StaysWithinOnePercentOverTheWholeRange) {
    std::mt19937_64 random(3);
    std::vector<std::int64_t> values;
    Histogram histogram;
    for (int i = 0; i < 100'000; ++i) {
        const auto value = static_cast<std::int64_t>(random() >> (5 + random() % 58));
        values.push_back(value);
        histogram.record(nanoseconds(value));
    }
    std::sort(values.begin(), values.end());
    for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto exact = static_cast<double>(
            values[static_cast<std::size_t>(share * static_cast<double>(values.size())) - 1]
        );
        const auto told = static_cast<double>(histogram.percentile(share).count());
        EXPECT_GE(told, exact) << share;
        EXPECT_LE(told, exact * 1.01 + 1) << share;
    }
    EXPECT_EQ(histogram.max().count(), values.back());
}

TEST(Histogram, ATailIsSeenWithOneSampleInAHundredThousand) {
    Histogram histogram;
    for (int i = 0; i < 99'999; ++i) histogram.record(1ms);
    histogram.record(1s);
    EXPECT_LE(histogram.percentile(0.99999), 1010us);
    EXPECT_EQ(histogram.percentile(1.0), 1s);
}

}  // namespace
}  // namespace twinsite::tools::load
