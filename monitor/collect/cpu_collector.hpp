// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "monitor/collect/control_group.hpp"
#include "monitor/collect/cpu.hpp"
#include "monitor/collect/quota_meter.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// How busy the processors are, from /proc/stat and the control group. One thread.
class CpuCollector {
public:
    /// Once a second; the sample has age 0.
    wire::contract::Sample measure(CpuMeter::Time now);

private:
    std::optional<CpuQuota> read_quota(unsigned cpus, CpuMeter::Time now);
    void add_idle(
        wire::contract::Sample& sample, const char* name, std::chrono::milliseconds window
    ) const;

    const ControlGroup group_;
    CpuMeter cpu_;
    QuotaMeter quota_;
};

}  // namespace twinsite::monitor::collect
