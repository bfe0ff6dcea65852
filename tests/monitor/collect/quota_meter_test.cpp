// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/quota_meter.hpp"

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using namespace std::chrono_literals;

CpuQuota used(double cpus, std::uint64_t usage_us, std::uint64_t throttled_us = 0) {
    return {cpus, usage_us, throttled_us};
}

TEST(QuotaMeter, IdleIsWhatIsLeftOfTheQuotaOverEachWindow) {
    QuotaMeter meter;
    const CpuMeter::Time begin{};
    EXPECT_FALSE(meter.idle(0ms));
    // Half a processor: nothing used for 9 s, then all of it for 1 s.
    for (int second = 0; second <= 9; ++second)
        meter.add(used(0.5, 0), begin + std::chrono::seconds(second));
    meter.add(used(0.5, 500'000, 250'000), begin + 10s);
    EXPECT_DOUBLE_EQ(meter.idle(0ms).value(), 0.0);
    EXPECT_DOUBLE_EQ(meter.idle(10s).value(), 90.0);
    EXPECT_FALSE(meter.idle(60s)) << "less than half of the window is known";
    EXPECT_DOUBLE_EQ(meter.throttled().value(), 25.0);
}

TEST(QuotaMeter, AStepBackOrAnotherQuotaStartsAnew) {
    QuotaMeter meter;
    const CpuMeter::Time begin{};
    meter.add(used(1, 1'000), begin);
    meter.add(used(1, 500), begin + 1s);
    EXPECT_FALSE(meter.idle(0ms));
    meter.add(used(2, 600), begin + 2s);
    EXPECT_FALSE(meter.idle(0ms));
    meter.add(used(2, 600), begin + 3s);
    EXPECT_DOUBLE_EQ(meter.idle(0ms).value(), 100.0);
}

TEST(QuotaMeter, NeverBelowNothing) {
    QuotaMeter meter;
    const CpuMeter::Time begin{};
    meter.add(used(1, 0), begin);
    meter.add(used(1, 9'000'000), begin + 1s);
    EXPECT_DOUBLE_EQ(meter.idle(0ms).value(), 0.0);
}

}  // namespace
}  // namespace twinsite::monitor::collect
