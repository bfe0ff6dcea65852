// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/cpu_collector.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/file/state_file.hpp"

namespace twinsite::monitor::collect {

using namespace std::chrono_literals;
using wire::contract::Sample;
using wire::contract::Status;

namespace {

Sample failed(Status status, std::string detail) {
    Sample out;
    out.collector = "cpu";
    out.status = status;
    out.detail = std::move(detail);
    return out;
}

}  // namespace

Sample CpuCollector::measure(CpuMeter::Time now) {
    const auto text = base::file::read_state_file("/proc/stat");
    const auto reading = parse_cpu(text ? text->value_or("") : "");
    if (!reading) return failed(Status::error, "/proc/stat cannot be read");
    const auto quota = read_quota(reading->cpus, now);
    if (!cpu_.add(*reading, now))
        return failed(Status::missing, "the counters stepped back; measuring starts anew");
    const auto instant = cpu_.shares(0ms);
    if (!instant) return failed(Status::missing, "the first reading");
    if (quota && !quota_.idle(0ms))
        return failed(Status::missing, "the quota changed; measuring starts anew");
    Sample out;
    out.collector = "cpu";
    add_idle(out, "idle", 0ms);
    out.numbers.emplace_back("iowait", instant->iowait);
    out.numbers.emplace_back("steal", instant->steal);
    add_idle(out, "idle_avg10s", 10s);
    add_idle(out, "idle_avg1m", 60s);
    add_idle(out, "idle_avg5m", 300s);
    out.numbers.emplace_back("cpus", reading->cpus);
    if (quota) out.numbers.emplace_back("quota_cpus", quota->cpus);
    if (const auto share = quota_.throttled()) out.numbers.emplace_back("throttled", *share);
    return out;
}

// Under a quota the machine may be idle and the work still held back: what counts then is the
// share of what may be used, in every window.
void CpuCollector::add_idle(Sample& sample, const char* name, std::chrono::milliseconds window)
    const {
    if (quota_.in_use()) {
        if (const auto idle = quota_.idle(window)) sample.numbers.emplace_back(name, *idle);
    } else if (const auto shares = cpu_.shares(window)) {
        sample.numbers.emplace_back(name, shares->idle);
    }
}

std::optional<CpuQuota> CpuCollector::read_quota(unsigned cpus, CpuMeter::Time now) {
    auto quota = group_.cpu();
    if (!quota) {
        quota_.clear();
        return quota;
    }
    // A quota of more processors than there are cannot be used up.
    quota->cpus = std::min(quota->cpus, static_cast<double>(cpus));
    quota_.add(*quota, now);
    return quota;
}

}  // namespace twinsite::monitor::collect
