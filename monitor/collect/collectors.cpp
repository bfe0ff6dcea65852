// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/collectors.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/file/state_file.hpp"
#include "monitor/collect/control_group.hpp"
#include "monitor/collect/cpu_collector.hpp"
#include "monitor/collect/disk_watch.hpp"
#include "monitor/collect/memory_collector.hpp"
#include "monitor/collect/periodic.hpp"
#include "monitor/collect/process_collector.hpp"

namespace twinsite::monitor::collect {

using wire::contract::Sample;
using Time = std::chrono::steady_clock::time_point;

namespace {

Sample named(const char* collector, const std::string& instance = "") {
    Sample out;
    out.collector = collector;
    out.instance = instance;
    out.detail = "nothing was measured yet";
    return out;
}

Periodic::Measure make_cpu() {
    return [cpu = std::make_shared<CpuCollector>()](Time now) {
        return std::vector<Sample>{cpu->measure(now)};
    };
}

Periodic::Measure make_memory() {
    return [group = ControlGroup()](Time) { return std::vector<Sample>{sample_memory(group)}; };
}

std::vector<Sample> names_of(const std::vector<ProcessConfig>& processes) {
    std::vector<Sample> out;
    for (const auto& process : processes) out.push_back(named("process", process.name));
    return out;
}

std::vector<Mount> list_mounts(const CollectConfig& config) {
    const auto text = base::file::read_state_file("/proc/self/mountinfo");
    if (!text || !*text) return {};
    return choose_mounts(parse_mountinfo(**text), config.include_disks, config.exclude_disks);
}

}  // namespace

struct Collectors::State {
    explicit State(const CollectConfig& config)
        : cpu({named("cpu")}, make_cpu),
          memory({named("memory")}, make_memory),
          disks([config] { return list_mounts(config); }, ask_file_system) {
        if (config.processes.empty()) return;
        processes.emplace(names_of(config.processes), [configs = config.processes] {
            const auto collector = std::make_shared<ProcessCollector>(configs);
            return [collector](Time now) { return collector->measure(now); };
        });
    }

    Periodic cpu;
    Periodic memory;
    std::optional<Periodic> processes;
    DiskWatch disks;
};

Collectors::Collectors(CollectConfig config) : state_(std::make_unique<State>(config)) {}

Collectors::~Collectors() = default;

std::vector<Sample> Collectors::sample() {
    const auto now = std::chrono::steady_clock::now();
    std::vector<Sample> out;
    const auto add = [&out](std::vector<Sample> samples) {
        for (auto& sample : samples) out.push_back(std::move(sample));
    };
    add(state_->cpu.sample(now));
    add(state_->memory.sample(now));
    if (state_->processes) add(state_->processes->sample(now));
    add(state_->disks.sample(now));
    return out;
}

}  // namespace twinsite::monitor::collect
