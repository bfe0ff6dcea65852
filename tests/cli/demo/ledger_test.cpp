// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/ledger.hpp"

#include <gtest/gtest.h>

namespace twinsite::cli::demo {
namespace {

using namespace std::chrono_literals;

TEST(Ledger, AGapLongerThanTheLimitIsAnOutage) {
    Ledger ledger(500ms);
    const Time start{};
    EXPECT_FALSE(ledger.good(0, start + 100ms, 1ms));
    EXPECT_FALSE(ledger.good(0, start + 600ms, 1ms));
    const auto outage = ledger.good(1, start + 2'933ms, 1ms);
    ASSERT_TRUE(outage);
    EXPECT_EQ(outage->last_good, start + 600ms);
    EXPECT_EQ(outage->first_good, start + 2'933ms);
    EXPECT_EQ(outage->length(), 2'333ms);
    EXPECT_EQ(ledger.outages().size(), 1U);
}

TEST(Ledger, BadAnswersDoNotEndAnOutage) {
    Ledger ledger(500ms);
    const Time start{};
    ledger.good(0, start, 1ms);
    ledger.not_good();
    const auto outage = ledger.good(0, start + 3s, 1ms);
    ASSERT_TRUE(outage);
    EXPECT_EQ(outage->length(), 3s);
    EXPECT_EQ(ledger.total().not_good, 1U);
}

TEST(Ledger, AStretchStartsEmptyAfterItWasTaken) {
    Ledger ledger(500ms);
    ledger.good(0, Time{}, 2ms);
    ledger.good(1, Time{} + 1ms, 4ms);
    const auto first = ledger.take_stretch();
    EXPECT_EQ(first.good[0], 1U);
    EXPECT_EQ(first.good[1], 1U);
    EXPECT_EQ(first.all_good(), 2U);
    EXPECT_EQ(ledger.take_stretch().all_good(), 0U);
    EXPECT_EQ(ledger.total().all_good(), 2U);
}

TEST(Ledger, QuantilesAreTheNearestRank) {
    Tally tally;
    EXPECT_EQ(tally.quantile_us(0.5), 0U);
    for (std::uint32_t i = 100; i >= 1; --i) tally.latencies_us.push_back(i);
    EXPECT_EQ(tally.quantile_us(0.5), 50U);
    EXPECT_EQ(tally.quantile_us(0.99), 99U);
    EXPECT_EQ(tally.quantile_us(1.0), 100U);
}

}  // namespace
}  // namespace twinsite::cli::demo
