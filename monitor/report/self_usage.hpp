// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace twinsite::monitor::report {

/// What this program itself uses.
class SelfUsage {
public:
    /// Resident memory; 0 when the kernel does not tell.
    static std::uint64_t rss_bytes();
    /// Processor time since the last call, in percent of one processor; nothing at the first call.
    std::optional<double> cpu_percent(std::chrono::milliseconds now);

private:
    std::optional<std::chrono::milliseconds> last_;
    std::chrono::microseconds used_{};
};

/// Lowest priority that still does the work, and no core dumps: they could hold keys.
void be_humble();

}  // namespace twinsite::monitor::report
