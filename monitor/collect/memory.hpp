// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace twinsite::monitor::collect {

/// What /proc/meminfo says, in bytes. MemAvailable is absent before Linux 3.14, and that is not the
/// same as 0.
struct MemoryInfo {
    std::uint64_t total = 0;
    std::optional<std::uint64_t> available;
    std::uint64_t swap_total = 0;
    std::uint64_t swap_free = 0;
};
/// nullopt without MemTotal.
std::optional<MemoryInfo> parse_meminfo(std::string_view text);

/// The memory limit of the control group that the machine's work is in, when that is lower than the
/// machine's memory.
struct MemoryLimit {
    std::uint64_t limit_bytes = 0;
    std::uint64_t usage_bytes = 0;  ///< Without the inactive file cache: the working set.
};

struct MemoryUse {
    std::uint64_t max_bytes = 0;
    std::uint64_t used_bytes = 0;
    std::uint64_t available_bytes = 0;
    double used_percent = 0;
    double swap_used_percent = 0;
};
/// used = total - available, as `free` prints it. With a limit below the total, max is the limit
/// and used the group's working set. nullopt when the kernel gives no MemAvailable.
std::optional<MemoryUse> measure_memory(
    const MemoryInfo& info, const std::optional<MemoryLimit>& limit
);

}  // namespace twinsite::monitor::collect
