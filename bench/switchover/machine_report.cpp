// SPDX-License-Identifier: Apache-2.0
#include "bench/switchover/machine_report.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace twinsite::bench {
namespace {

using wire::contract::Report;
using wire::contract::Sample;

constexpr int kProcesses = 10;
constexpr double kMemoryBytes = 68'719'476'736;
constexpr double kDiskBytes = 536'870'912'000;

template <class Clock>
std::uint64_t milliseconds_of() {
    using std::chrono::milliseconds;
    const auto since = Clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
}

/// A share that moves from report to report: 0 to 1 in steps of a thousandth.
double wander(std::uint64_t seed) {
    return static_cast<double>(seed * 2'654'435'761U % 1'000) / 1'000;
}

Sample cpu(double share) {
    Sample out;
    out.collector = "cpu";
    out.numbers = {
        {"idle", 40 + 50 * share},
        {"iowait", 2 * share},
        {"steal", 0.1},
        {"idle_avg10s", 45 + 40 * share},
        {"idle_avg1m", 50 + 30 * share},
        {"idle_avg5m", 55 + 20 * share},
        {"cpus", 16}
    };
    return out;
}

Sample memory(double share) {
    Sample out;
    out.collector = "memory";
    const auto used = static_cast<double>(static_cast<std::uint64_t>(kMemoryBytes * share / 2));
    out.numbers = {
        {"max_bytes", kMemoryBytes},
        {"used_bytes", used},
        {"available_bytes", kMemoryBytes - used},
        {"used_percent", 100 * used / kMemoryBytes},
        {"swap_used_percent", 0}
    };
    return out;
}

Sample disk(const char* mount, const char* device, double share) {
    Sample out;
    out.collector = "disk";
    out.instance = mount;
    const auto used = static_cast<double>(static_cast<std::uint64_t>(kDiskBytes * share / 2));
    out.numbers = {
        {"size_bytes", kDiskBytes},
        {"used_bytes", used},
        {"avail_bytes", kDiskBytes - used},
        {"used_percent", 100 * used / kDiskBytes},
        {"inodes_used_percent", 3.5},
        {"read_only", 0},
        {"flagged", 0}
    };
    out.texts = {{"device", device}, {"type", "xfs"}};
    return out;
}

Sample process(int number, std::uint64_t seq) {
    Sample out;
    out.collector = "process";
    out.instance = "module-" + std::to_string(number);
    out.numbers = {
        {"count", 1},
        {"min", 1},
        {"max", 1},
        {"restarts", 0},
        {"uptime_s", 86'400 + static_cast<double>(seq) * 10}
    };
    out.texts = {
        {"state", "up"},
        {"detail", "runs"},
        {"identity", std::to_string(2'000 + number) + "@123456789"}
    };
    return out;
}

Sample self(double share) {
    Sample out;
    out.collector = "self";
    out.numbers = {
        {"rss_bytes", 9'437'184}, {"backlog", 0}, {"dropped", 0}, {"cpu_percent", share}
    };
    return out;
}

}  // namespace

Report machine_report(
    const wire::contract::Identity& agent, std::uint64_t seq, std::uint64_t interval_ms
) {
    const auto share = wander(seq * 131 + std::hash<std::string>{}(agent.name) % 10'007);
    Report out;
    out.site = agent.site;
    out.name = agent.name;
    out.role = "processing";
    out.version = TWINSITE_VERSION;
    out.boot_id = "bench-" + agent.name;
    out.seq = seq;
    out.interval_ms = interval_ms;
    out.sent_wall_ms = milliseconds_of<std::chrono::system_clock>();
    out.mono_ms = milliseconds_of<std::chrono::steady_clock>();
    out.samples = {
        cpu(share),
        memory(share),
        disk("/", "/dev/vda1", share),
        disk("/var", "/dev/vdb1", 1 - share)
    };
    for (int number = 0; number < kProcesses; ++number) out.samples.push_back(process(number, seq));
    out.samples.push_back(self(share));
    return out;
}

}  // namespace twinsite::bench
