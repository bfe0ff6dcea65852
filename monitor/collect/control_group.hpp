// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/collect/memory.hpp"

/// Limits of the control group that this process is in, versions 1 and 2 of the interface. When it
/// is in a service of its own, those of the groups above: what the services of the machine share.
namespace twinsite::monitor::collect {

struct CpuQuota {
    double cpus = 0;                 ///< Processors that may be used, at least 0.001.
    std::uint64_t usage_us = 0;      ///< Processor time used so far.
    std::uint64_t throttled_us = 0;  ///< Time that work had to wait for the quota.
};

/// Reads below `root`, "" on a real machine; a test gives a folder of its own.
class ControlGroup {
public:
    explicit ControlGroup(std::string root = "");

    /// The lowest limit on the path of groups up to the top; nullopt when none is set.
    std::optional<MemoryLimit> memory() const;
    std::optional<CpuQuota> cpu() const;

private:
    std::optional<MemoryLimit> memory_v2() const;
    std::optional<MemoryLimit> memory_v1() const;
    std::optional<CpuQuota> cpu_v2() const;
    std::optional<CpuQuota> cpu_v1() const;

    std::string root_;
    std::string v2_;      ///< Path of the group in the one hierarchy; empty: not in use.
    std::string memory_;  ///< Of version 1's memory controller; empty: not in use.
    std::string cpu_;
};

/// "/a/b/c" -> "/a/b" -> "/a" -> "/" -> nullopt.
std::optional<std::string> parent_group(const std::string& path);

}  // namespace twinsite::monitor::collect
