// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/cpu.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using namespace std::chrono_literals;

constexpr CpuMeter::Time kStart{1'000s};

CpuCounters reading(std::uint64_t user, std::uint64_t idle, std::uint64_t iowait = 0) {
    CpuCounters out;
    out.cpus = 4;
    out.ticks[static_cast<std::size_t>(CpuField::user)] = user;
    out.ticks[static_cast<std::size_t>(CpuField::idle)] = idle;
    out.ticks[static_cast<std::size_t>(CpuField::iowait)] = iowait;
    return out;
}

TEST(Cpu, GuestTimeIsNotCountedTwice) {
    const auto counters = parse_cpu(
        "cpu  100 20 30 400 50 6 7 8 90 10\n"
        "cpu0 50 10 15 200 25 3 3 4 45 5\n"
        "cpu1 50 10 15 200 25 3 4 4 45 5\n"
        "intr 12345\n"
    );
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->cpus, 2U);
    const std::array<std::uint64_t, kCpuFields> want{100, 20, 30, 400, 50, 6, 7, 8};
    EXPECT_EQ(counters->ticks, want);
}

TEST(Cpu, OtherTextsAreRefused) {
    for (const auto* text :
         {"",
          "cpu",
          "cpu  1 2 3\ncpu0 1\n",
          "cpu  1 2 3 4 5 6 7 x\ncpu0\n",
          "cpu  1 2 3 4 5 6 7 8 9 10\n",
          "intr 5\n"})
        EXPECT_FALSE(parse_cpu(text)) << text;
}

TEST(CpuMeter, TheFirstReadingIsMissingAndNotIdle) {
    CpuMeter meter;
    EXPECT_TRUE(meter.add(reading(0, 1'000'000), kStart));
    EXPECT_FALSE(meter.shares(0ms));
    EXPECT_FALSE(meter.shares(10s));
}

TEST(CpuMeter, TheAverageIsOfCountersAndNotOfPercentages) {
    CpuMeter meter;
    meter.add(reading(0, 0), kStart);
    meter.add(reading(0, 1'000), kStart + 10s);    // all idle, 1000 ticks
    meter.add(reading(100, 1'000), kStart + 11s);  // all busy, 100 ticks
    EXPECT_DOUBLE_EQ(meter.shares(0ms)->idle, 0.0);
    EXPECT_DOUBLE_EQ(meter.shares(11s)->idle, 100.0 * 1'000 / 1'100);
}

TEST(CpuMeter, AWindowNeedsAtLeastHalfOfItsTime) {
    CpuMeter meter;
    meter.add(reading(0, 0), kStart);
    meter.add(reading(10, 90), kStart + 1s);
    EXPECT_TRUE(meter.shares(0ms));
    EXPECT_TRUE(meter.shares(2s));
    EXPECT_FALSE(meter.shares(10s));
    meter.add(reading(10, 490), kStart + 5s);
    EXPECT_TRUE(meter.shares(10s));
    EXPECT_DOUBLE_EQ(meter.shares(10s)->idle, 98.0);
}

TEST(CpuMeter, AWindowLooksNoFurtherBackThanItMust) {
    CpuMeter meter;
    for (int second = 0; second <= 400; ++second) {
        const auto busy = static_cast<std::uint64_t>(second < 390 ? second * 100 : 39'000);
        const auto idle = static_cast<std::uint64_t>(second < 390 ? 0 : (second - 390) * 100);
        meter.add(reading(busy, idle), kStart + std::chrono::seconds(second));
    }
    EXPECT_DOUBLE_EQ(meter.shares(10s)->idle, 100.0);
    EXPECT_NEAR(meter.shares(5min)->idle, 100.0 * 10 / 300, 0.5);
}

// M-T13
TEST(CpuMeter, CountersThatStepBackALittleAreClamped) {
    CpuMeter meter;
    meter.add(reading(100, 1'000, 500), kStart);
    EXPECT_TRUE(meter.add(reading(200, 999, 450), kStart + 1s));  // idle -1, iowait -50
    const auto shares = meter.shares(0ms);
    ASSERT_TRUE(shares);
    EXPECT_DOUBLE_EQ(shares->idle, 0.0);
    EXPECT_DOUBLE_EQ(shares->iowait, 0.0);
    EXPECT_TRUE(meter.add(reading(200, 1'099, 450), kStart + 2s));
    EXPECT_DOUBLE_EQ(meter.shares(0ms)->idle, 100.0);
}

// M-T13
TEST(CpuMeter, AResetOfTheCountersDropsOneSampleAndGoesOn) {
    CpuMeter meter;
    meter.add(reading(100'000, 900'000), kStart);
    meter.add(reading(100'050, 900'050), kStart + 1s);
    EXPECT_FALSE(meter.add(reading(5, 10), kStart + 2s));
    EXPECT_FALSE(meter.shares(0ms));
    EXPECT_TRUE(meter.add(reading(30, 85), kStart + 3s));
    EXPECT_DOUBLE_EQ(meter.shares(0ms)->idle, 75.0);
}

// M-T13
TEST(CpuMeter, AnotherNumberOfProcessorsDropsOneSample) {
    CpuMeter meter;
    meter.add(reading(0, 0), kStart);
    auto fewer = reading(100, 300);
    fewer.cpus = 2;
    EXPECT_FALSE(meter.add(fewer, kStart + 1s));
    EXPECT_FALSE(meter.shares(0ms));
    fewer.ticks[static_cast<std::size_t>(CpuField::idle)] += 200;
    EXPECT_TRUE(meter.add(fewer, kStart + 2s));
    EXPECT_DOUBLE_EQ(meter.shares(0ms)->idle, 100.0);
}

TEST(CpuMeter, NothingCountedIsMissingAndNotIdle) {
    CpuMeter meter;
    meter.add(reading(1, 1), kStart);
    meter.add(reading(1, 1), kStart + 1s);
    EXPECT_FALSE(meter.shares(0ms));
}

}  // namespace
}  // namespace twinsite::monitor::collect
