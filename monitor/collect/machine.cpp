// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/machine.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"
#include "monitor/collect/memory.hpp"

namespace twinsite::monitor::collect {

using namespace std::chrono_literals;
using wire::contract::Sample;
using wire::contract::Status;

namespace {

/// The whole table is read so often; in between only the processes that are known.
constexpr unsigned kWholeEach = 10;

std::string read(const std::string& path) {
    auto text = base::file::read_state_file(path);
    return text && *text ? std::move(**text) : std::string();
}

Sample failed(std::string collector, Status status, std::string detail) {
    Sample out;
    out.collector = std::move(collector);
    out.status = status;
    out.detail = std::move(detail);
    return out;
}

}  // namespace

Machine::Machine(const std::vector<ProcessConfig>& processes)
    : processes_(processes),
      boot_id_(base::text::trim(read("/proc/sys/kernel/random/boot_id"))),
      table_(processes) {
    for (const auto& process : processes_)
        watches_.emplace_back(process.min, process.max, process.stuck_after);
}

std::vector<Sample> Machine::measure(CpuMeter::Time now) {
    std::vector<Sample> out;
    out.push_back(measure_cpu(now));
    out.push_back(measure_memory_use());
    if (processes_.empty()) return out;
    table_.refresh(turn_++ % kWholeEach == 0);
    for (std::size_t i = 0; i < processes_.size(); ++i) out.push_back(measure_process(i, now));
    return out;
}

Sample Machine::measure_cpu(CpuMeter::Time now) {
    const auto reading = parse_cpu(read("/proc/stat"));
    if (!reading) return failed("cpu", Status::error, "/proc/stat cannot be read");
    const auto quota = read_quota(reading->cpus, now);
    if (!cpu_.add(*reading, now))
        return failed("cpu", Status::missing, "the counters stepped back; measuring starts anew");
    const auto instant = cpu_.shares(0ms);
    if (!instant) return failed("cpu", Status::missing, "the first reading");
    if (quota && !quota_.idle(0ms))
        return failed("cpu", Status::missing, "the quota changed; measuring starts anew");
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
void Machine::add_idle(Sample& sample, const char* name, std::chrono::milliseconds window) const {
    if (quota_.in_use()) {
        if (const auto idle = quota_.idle(window)) sample.numbers.emplace_back(name, *idle);
    } else if (const auto shares = cpu_.shares(window)) {
        sample.numbers.emplace_back(name, shares->idle);
    }
}

std::optional<CpuQuota> Machine::read_quota(unsigned cpus, CpuMeter::Time now) {
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

Sample Machine::measure_memory_use() const {
    const auto info = parse_meminfo(read("/proc/meminfo"));
    if (!info) return failed("memory", Status::error, "/proc/meminfo cannot be read");
    const auto use = measure_memory(*info, group_.memory());
    if (!use) return failed("memory", Status::error, "the kernel does not say MemAvailable");
    Sample out;
    out.collector = "memory";
    out.numbers = {
        {"max_bytes", static_cast<double>(use->max_bytes)},
        {"used_bytes", static_cast<double>(use->used_bytes)},
        {"available_bytes", static_cast<double>(use->available_bytes)},
        {"used_percent", use->used_percent},
        {"swap_used_percent", use->swap_used_percent}
    };
    return out;
}

Sample Machine::measure_process(std::size_t index, CpuMeter::Time now) {
    const auto& config = processes_[index];
    const auto& found = table_.found(index);
    const auto verdict = watches_[index].look(found.instances, found.hidden, now);
    Sample out;
    out.collector = "process";
    out.instance = config.name;
    out.detail = verdict.detail;
    out.numbers = {
        {"count", verdict.count},
        {"min", config.min},
        {"max", config.max},
        {"restarts", static_cast<double>(verdict.restarts)}
    };
    out.texts = {{"state", std::string(to_string(verdict.state))}, {"detail", verdict.detail}};
    if (!verdict.oldest) return out;
    const auto& id = *verdict.oldest;
    const auto ticks = static_cast<double>(std::max(::sysconf(_SC_CLK_TCK), 1L));
    const auto uptime_text = read("/proc/uptime");
    const auto uptime = base::text::words(uptime_text);
    const auto up_s = uptime.empty() ? std::nullopt : base::text::parse_double(uptime[0]);
    if (up_s)
        out.numbers.emplace_back(
            "uptime_s", std::max(0.0, *up_s - static_cast<double>(id.start) / ticks)
        );
    out.texts.emplace_back(
        "identity",
        boot_id_ + "/" + std::to_string(id.pid) + "/" + std::to_string(id.start) + "/" +
            std::to_string(id.program)
    );
    return out;
}

}  // namespace twinsite::monitor::collect
