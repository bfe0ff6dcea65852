// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/measurements.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

using wire::contract::Report;
using wire::contract::Sample;
using wire::contract::Status;

Sample sample(std::string collector, std::string instance, std::string key, double value) {
    Sample out;
    out.collector = std::move(collector);
    out.instance = std::move(instance);
    out.numbers = {{std::move(key), value}};
    return out;
}

TEST(Measurements, ChartedNumbersGetTheNamesOfTheContract) {
    Report report;
    report.samples = {
        sample("cpu", "", "idle", 91.5),
        sample("disk", "/var", "used_percent", 40),
        sample("disk", "/var", "inodes_used_percent", 3),
    };
    std::vector<store::HistoryPoint> points;
    add_history(points, "east/if1", report, 1'000);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].host, "east/if1");
    EXPECT_EQ(points[0].metric, "cpu.idle");
    EXPECT_EQ(points[0].wall_ms, 1'000);
    EXPECT_EQ(points[0].value, 91.5);
    EXPECT_EQ(points[1].metric, "disk.used_percent@/var");
}

TEST(Measurements, ALongInstanceMakesNoLongName) {
    Report report;
    report.samples = {sample("disk", std::string(127, 'x') + "\xc3\xa9", "used_percent", 1)};
    std::vector<store::HistoryPoint> points;
    add_history(points, "east/if1", report, 1'000);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].metric, "disk.used_percent@" + std::string(127, 'x'));
}

TEST(Measurements, WhatCollectorsCouldNotMeasureIsNoPoint) {
    Report report;
    report.samples = {
        sample("cpu", "", "idle", 0),
        sample("memory", "", "used_percent", std::numeric_limits<double>::quiet_NaN()),
    };
    report.samples[0].status = Status::stuck;
    std::vector<store::HistoryPoint> points;
    add_history(points, "east/if1", report, 1'000);
    EXPECT_TRUE(points.empty());
    EXPECT_EQ(find_sample(report, "cpu"), nullptr);
}

TEST(Measurements, AHostileReportIsCut) {
    Report report;
    report.version = std::string(4'000, 'v');
    for (int i = 0; i < 2'000; ++i)
        report.samples.push_back(sample("disk", "/" + std::to_string(i), "used_percent", i));
    report.samples[0].detail = std::string(255, 'x') + "\xc3\xa9" + std::string(4'000, 'y');
    for (int i = 0; i < 1'000; ++i) report.samples[1].numbers.emplace_back("n", i);
    std::vector<store::HistoryPoint> points;
    add_history(points, "east/if1", report, 1'000);
    EXPECT_EQ(points.size(), 128U);
    trim(report);
    EXPECT_EQ(report.samples.size(), 256U);
    EXPECT_EQ(report.version.size(), 256U);
    EXPECT_EQ(report.samples[0].detail, std::string(255, 'x')) << "no half characters";
    EXPECT_EQ(report.samples[1].numbers.size(), 32U);
}

}  // namespace
}  // namespace twinsite::switchover::fleet
