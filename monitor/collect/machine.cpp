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

void add_idle(Sample& out, const char* name, const std::optional<CpuShares>& shares) {
    if (shares) out.numbers.emplace_back(name, shares->idle);
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
    if (!cpu_.add(*reading, now))
        return failed("cpu", Status::missing, "the counters stepped back; measuring starts anew");
    const auto instant = cpu_.shares(0ms);
    if (!instant) return failed("cpu", Status::missing, "the first reading");
    Sample out;
    out.collector = "cpu";
    out.numbers = {{"idle", instant->idle}, {"iowait", instant->iowait}, {"steal", instant->steal}};
    add_idle(out, "idle_avg10s", cpu_.shares(10s));
    add_idle(out, "idle_avg1m", cpu_.shares(60s));
    add_idle(out, "idle_avg5m", cpu_.shares(300s));
    out.numbers.emplace_back("cpus", reading->cpus);
    add_quota(out, now);
    return out;
}

// Under a quota the machine may be idle and the work still held back: what counts then is the
// share of what may be used.
void Machine::add_quota(Sample& sample, CpuMeter::Time now) {
    const auto quota = group_.cpu();
    const auto before = std::exchange(quota_before_, quota);
    const auto since = std::exchange(quota_at_, now);
    if (!quota) return;
    sample.numbers.emplace_back("quota_cpus", quota->cpus);
    if (!before || quota->usage_us < before->usage_us || now <= since) return;
    const auto span_us = std::chrono::duration<double, std::micro>(now - since).count();
    const auto used =
        static_cast<double>(quota->usage_us - before->usage_us) / (span_us * quota->cpus);
    sample.numbers[0].second = std::clamp(100.0 * (1.0 - used), 0.0, 100.0);
    const auto waited = quota->throttled_us - std::min(before->throttled_us, quota->throttled_us);
    sample.numbers.emplace_back(
        "throttled", std::clamp(100.0 * static_cast<double>(waited) / span_us, 0.0, 100.0)
    );
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
