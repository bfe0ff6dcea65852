// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/take_report.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "wire/contract/report.hpp"

namespace twinsite::switchover::judge {

namespace {

using wire::contract::Sample;

/// The number `key`, or `fallback` when it is missing or is no number.
double number(const Sample& sample, std::string_view key, double fallback) {
    for (const auto& [name, value] : sample.numbers)
        if (name == key) return std::isfinite(value) ? value : fallback;
    return fallback;
}

std::string_view text(const Sample& sample, std::string_view key) {
    for (const auto& [name, value] : sample.texts)
        if (name == key) return value;
    return {};
}

ProcessReading process(const Sample& sample) {
    constexpr double kMost = 1e15;  // exact as a double, and far from overflow
    ProcessReading out;
    out.name = sample.instance;
    out.restarts =
        static_cast<std::uint64_t>(std::clamp(number(sample, "restarts", 0), 0.0, kMost));
    // A collector that could not look knows nothing, whatever text it left behind.
    if (sample.status == wire::contract::Status::ok)
        out.state = process_state(text(sample, "state"));
    return out;
}

}  // namespace

HostReading take_report(
    const wire::contract::Report& report, Time measured, std::vector<ProcessReading>& processes
) {
    constexpr std::uint64_t kLongestMs = 600'000;
    processes.clear();
    HostReading out;
    out.measured = measured;
    out.interval = Duration(std::min(report.interval_ms, kLongestMs));
    for (const auto& sample : report.samples) {
        if (sample.collector == "process") processes.push_back(process(sample));
        if (sample.status != wire::contract::Status::ok) continue;
        if (sample.collector == "memory")
            out.memory_used_percent = number(sample, "used_percent", -1);
        if (sample.collector == "disk") {
            out.disk_used_percent =
                std::max(out.disk_used_percent, number(sample, "used_percent", -1));
            out.disk_read_only = out.disk_read_only || number(sample, "read_only", 0) > 0;
        }
    }
    out.processes = processes;
    return out;
}

}  // namespace twinsite::switchover::judge
