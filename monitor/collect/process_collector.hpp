// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/collect/collectors.hpp"
#include "monitor/collect/cpu.hpp"
#include "monitor/collect/process_table.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// The processes that are watched, from /proc. One thread, which may hang there: to read the
/// command line of a process takes the lock of its memory.
class ProcessCollector {
public:
    explicit ProcessCollector(const std::vector<ProcessConfig>& processes);

    /// Once a second; a sample of each, with age 0.
    std::vector<wire::contract::Sample> measure(CpuMeter::Time now);

private:
    wire::contract::Sample measure_one(std::size_t index, CpuMeter::Time now);

    const std::vector<ProcessConfig> processes_;
    const std::string boot_id_;
    ProcessTable table_;
    std::vector<ProcessWatch> watches_;
    unsigned turn_ = 0;
};

}  // namespace twinsite::monitor::collect
