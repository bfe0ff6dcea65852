// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/take_report.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::judge {
namespace {

using wire::contract::Report;
using wire::contract::Sample;
using wire::contract::Status;

Sample sample(std::string collector, std::string instance, Status status) {
    Sample out;
    out.collector = std::move(collector);
    out.instance = std::move(instance);
    out.status = status;
    return out;
}

TEST(TakeReport, TakesTheFullestDiskMemoryAndProcesses) {
    Report report;
    report.interval_ms = 10'000;
    auto root = sample("disk", "/", Status::ok);
    root.numbers = {{"used_percent", 40}, {"read_only", 0}};
    auto var = sample("disk", "/var", Status::ok);
    var.numbers = {{"used_percent", 71}, {"read_only", 1}};
    auto memory = sample("memory", "", Status::ok);
    memory.numbers = {{"used_percent", 55}};
    auto charging = sample("process", "charging", Status::ok);
    charging.numbers = {{"restarts", 4}};
    charging.texts = {{"detail", "zombie"}, {"state", "down"}};
    auto hidden = sample("process", "hidden", Status::error);
    hidden.texts = {{"state", "up"}};
    report.samples = {root, var, memory, charging, hidden};
    std::vector<ProcessReading> processes;
    const auto reading = take_report(report, at_ms(5), processes);
    EXPECT_EQ(reading.measured, at_ms(5));
    EXPECT_EQ(reading.interval, Duration(10'000));
    EXPECT_EQ(reading.disk_used_percent, 71);
    EXPECT_TRUE(reading.disk_read_only);
    EXPECT_EQ(reading.memory_used_percent, 55);
    ASSERT_EQ(reading.processes.size(), 2U);
    EXPECT_EQ(reading.processes[0].name, "charging");
    EXPECT_EQ(reading.processes[0].state, ProcessState::down);
    EXPECT_EQ(reading.processes[0].restarts, 4U);
    EXPECT_EQ(reading.processes[1].state, ProcessState::unknown);
}

TEST(TakeReport, WhatIsMissingOrAbsurdIsNotThere) {
    Report report;
    report.interval_ms = std::numeric_limits<std::uint64_t>::max();
    auto memory = sample("memory", "", Status::ok);
    memory.numbers = {{"used_percent", std::numeric_limits<double>::quiet_NaN()}};
    auto disk = sample("disk", "/", Status::stuck);
    disk.numbers = {{"used_percent", 100}};
    auto process = sample("process", "p", Status::ok);
    process.numbers = {{"restarts", -1e300}};
    process.texts = {{"state", "excellent"}};
    report.samples = {memory, disk, process};
    std::vector<ProcessReading> processes;
    const auto reading = take_report(report, at_ms(0), processes);
    EXPECT_EQ(reading.interval, Duration(600'000));
    EXPECT_EQ(reading.memory_used_percent, -1);
    EXPECT_EQ(reading.disk_used_percent, -1);
    EXPECT_EQ(reading.processes[0].restarts, 0U);
    EXPECT_EQ(reading.processes[0].state, ProcessState::unknown);
}

TEST(TakeReport, StateWordsAreExact) {
    EXPECT_EQ(process_state("up"), ProcessState::up);
    EXPECT_EQ(process_state("stuck"), ProcessState::stuck);
    EXPECT_EQ(process_state("down"), ProcessState::down);
    EXPECT_EQ(process_state("unknown"), ProcessState::unknown);
    EXPECT_EQ(process_state("UP"), ProcessState::unknown);
    EXPECT_EQ(process_state(""), ProcessState::unknown);
}

}  // namespace
}  // namespace twinsite::switchover::judge
