// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

/// Processor time, from counters to shares. Pure: texts and times in, numbers out.
namespace twinsite::monitor::collect {

/// Fields of the first line of /proc/stat, in clock ticks. guest and guest_nice are left out: the
/// kernel has counted them in user and nice already.
enum class CpuField : std::uint8_t { user, nice, system, idle, iowait, irq, softirq, steal };
inline constexpr std::size_t kCpuFields = 8;

struct CpuCounters {
    std::array<std::uint64_t, kCpuFields> ticks{};
    unsigned cpus = 0;  ///< "cpuN" lines: processors that are on line.
};
/// nullopt when the text is not that of /proc/stat.
std::optional<CpuCounters> parse_cpu(std::string_view proc_stat);

/// Percent of the time of all processors.
struct CpuShares {
    double idle = 0;
    double iowait = 0;
    double steal = 0;
};

/// Sums up readings over sliding windows. Counters that step back a little are clamped (iowait may,
/// by the kernel's own words, and idle by a tick); a big step back, or another number of
/// processors, drops that interval and starts all windows anew. Never below 0 or above 100.
class CpuMeter {
public:
    using Time = std::chrono::steady_clock::time_point;
    /// More than that is no jitter of a counter but a reset: 3 s at 100 ticks a second.
    static constexpr std::uint64_t kBigStepTicks = 300;
    static constexpr std::chrono::minutes kLongestWindow{5};

    /// False when the interval since the last reading was dropped.
    bool add(const CpuCounters& reading, Time now);
    /// Shares over the last `window`, or over what there is if that is at least half of it; over
    /// the newest interval alone for zero. nullopt before there are two readings.
    std::optional<CpuShares> shares(std::chrono::milliseconds window) const;

private:
    struct Point {
        Time at;
        std::array<std::uint64_t, kCpuFields> sums{};
    };
    bool follows(const CpuCounters& reading) const;

    std::optional<CpuCounters> last_;
    std::deque<Point> points_;  ///< Sums that never step back, oldest first.
};

}  // namespace twinsite::monitor::collect
