// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "monitor/collect/control_group.hpp"
#include "monitor/collect/cpu.hpp"

namespace twinsite::monitor::collect {

/// What of a quota of processor time is left unused, over the same sliding windows as those of the
/// whole machine. A usage that steps back or another quota starts all windows anew. Pure.
class QuotaMeter {
public:
    using Time = CpuMeter::Time;

    void add(const CpuQuota& reading, Time now);
    /// Without a quota there is nothing to measure.
    void clear() { points_.clear(); }
    bool in_use() const { return !points_.empty(); }
    /// Percent of the quota, 0..100, over the last `window`, or over what there is if that is at
    /// least half of it; over the newest interval for zero. nullopt before there are two readings.
    std::optional<double> idle(std::chrono::milliseconds window) const;
    /// Percent of the newest interval in which work had to wait for the quota.
    std::optional<double> throttled() const;

private:
    struct Point {
        Time at;
        CpuQuota quota;
    };
    std::deque<Point> points_;  ///< Oldest first.
};

}  // namespace twinsite::monitor::collect
