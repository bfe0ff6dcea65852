// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/collectors.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/file/state_file.hpp"
#include "monitor/collect/background.hpp"
#include "monitor/collect/disk_watch.hpp"
#include "monitor/collect/machine.hpp"

namespace twinsite::monitor::collect {

using namespace std::chrono_literals;
using wire::contract::Sample;
using wire::contract::Status;
using Time = std::chrono::steady_clock::time_point;

namespace {

/// The instantaneous share is over this window: the shortest that clock ticks allow.
constexpr auto kPeriod = 1s;
/// Values older than that come from a collector that does not come back.
constexpr auto kDeadline = 5s;

struct Latest {
    std::mutex mutex;
    std::vector<Sample> samples;
    Time taken{};
};

void measure_on(
    const std::shared_ptr<Latest>& latest,
    const std::vector<ProcessConfig>& processes,
    const Background::Pause& pause
) {
    Machine machine(processes);
    do {
        const auto now = std::chrono::steady_clock::now();
        auto samples = machine.measure(now);
        const std::lock_guard lock(latest->mutex);
        latest->samples = std::move(samples);
        latest->taken = now;
    } while (pause(kPeriod));
}

std::vector<Mount> list_mounts(const CollectConfig& config) {
    const auto text = base::file::read_state_file("/proc/self/mountinfo");
    if (!text || !*text) return {};
    return choose_mounts(parse_mountinfo(**text), config.include_disks, config.exclude_disks);
}

}  // namespace

struct Collectors::State {
    explicit State(const CollectConfig& config)
        : latest(std::make_shared<Latest>()),
          machine([to = latest, processes = config.processes](const Background::Pause& pause) {
              measure_on(to, processes, pause);
          }),
          disks([config] { return list_mounts(config); }, ask_file_system) {}

    std::shared_ptr<Latest> latest;
    Background machine;
    DiskWatch disks;
};

Collectors::Collectors(CollectConfig config) : state_(std::make_unique<State>(config)) {}

Collectors::~Collectors() = default;

std::vector<Sample> Collectors::sample() {
    const auto now = std::chrono::steady_clock::now();
    std::vector<Sample> out;
    {
        const std::lock_guard lock(state_->latest->mutex);
        out = state_->latest->samples;
        const auto age = now - state_->latest->taken;
        for (auto& sample : out) {
            const auto age_ms = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
            sample.age_ms = static_cast<std::uint64_t>(std::max<long>(age_ms, 0));
            if (age > kDeadline) sample.status = Status::stuck;
        }
    }
    for (auto& disk : state_->disks.sample(now)) out.push_back(std::move(disk));
    return out;
}

}  // namespace twinsite::monitor::collect
