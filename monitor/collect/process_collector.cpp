// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/process_collector.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::collect {

using wire::contract::Sample;

namespace {

/// The whole table is read so often; in between only the processes that are known.
constexpr unsigned kWholeEach = 10;

std::string read(const std::string& path) {
    auto text = base::file::read_state_file(path);
    return text && *text ? std::move(**text) : std::string();
}

}  // namespace

ProcessCollector::ProcessCollector(const std::vector<ProcessConfig>& processes)
    : processes_(processes),
      boot_id_(base::text::trim(read("/proc/sys/kernel/random/boot_id"))),
      table_(processes) {
    for (const auto& process : processes_)
        watches_.emplace_back(process.min, process.max, process.stuck_after);
}

std::vector<Sample> ProcessCollector::measure(CpuMeter::Time now) {
    std::vector<Sample> out;
    table_.refresh(turn_++ % kWholeEach == 0);
    for (std::size_t i = 0; i < processes_.size(); ++i) out.push_back(measure_one(i, now));
    return out;
}

Sample ProcessCollector::measure_one(std::size_t index, CpuMeter::Time now) {
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
