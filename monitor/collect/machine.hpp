// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "monitor/collect/collectors.hpp"
#include "monitor/collect/control_group.hpp"
#include "monitor/collect/cpu.hpp"
#include "monitor/collect/process_table.hpp"
#include "monitor/collect/quota_meter.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// Processor, memory and processes: what is read from /proc, once a second. One thread.
class Machine {
public:
    explicit Machine(const std::vector<ProcessConfig>& processes);

    /// Reads everything and gives a sample of each, with age 0.
    std::vector<wire::contract::Sample> measure(CpuMeter::Time now);

private:
    wire::contract::Sample measure_cpu(CpuMeter::Time now);
    wire::contract::Sample measure_memory_use() const;
    std::optional<CpuQuota> read_quota(unsigned cpus, CpuMeter::Time now);
    void add_idle(
        wire::contract::Sample& sample, const char* name, std::chrono::milliseconds window
    ) const;
    wire::contract::Sample measure_process(std::size_t index, CpuMeter::Time now);

    const std::vector<ProcessConfig> processes_;
    const ControlGroup group_;
    const std::string boot_id_;
    CpuMeter cpu_;
    QuotaMeter quota_;
    ProcessTable table_;
    std::vector<ProcessWatch> watches_;
    unsigned turn_ = 0;
};

}  // namespace twinsite::monitor::collect
