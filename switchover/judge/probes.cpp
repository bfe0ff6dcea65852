// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/probes.hpp"

#include <algorithm>
#include <utility>

namespace twinsite::switchover::judge {

namespace {

constexpr std::size_t kMaxRows = 256;  // of one observer; results come from outside
constexpr std::size_t kMaxNameBytes = 128;
constexpr Duration kShortest{100};

}  // namespace

Probes::Probes(const model::Plan& plan, const Places& places, const Rules& rules) : rules_(rules) {
    seat(plan, places);
    for (auto& bench : benches_)
        if (bench.observers.size() == 1) bench.name = observers_[bench.observers[0]].name;
    outside_.resize(plan.sites.size());
    for (std::size_t site = 0; site < outside_.size(); ++site)
        for (const auto& bench : benches_)
            if (bench.place != site) outside_[site].push_back(bench);
}

void Probes::seat(const model::Plan& plan, const Places& places) {
    bool monitor_here = false;
    for (std::size_t place = 0; place < places.size(); ++place) {
        const auto& name = places.name(place);
        for (const auto& monitor : plan.monitors) {
            if (monitor.site != name) continue;
            add(monitor.name, monitor.id(), place, "monitors of " + name);
            monitor_here = monitor_here || place == places.judge();
        }
        for (const auto& gslb : plan.gslbs)
            if (gslb.site == name)
                add(gslb.name, name + "/" + gslb.name, place, "gslbs of " + name);
    }
    // The small demo: this server's own probe stands in for the monitor at its place.
    if (!monitor_here) {
        add(plan.node, plan.site + "/" + plan.node, places.judge(), "this server");
        return;
    }
    observers_.push_back({plan.node, plan.site + "/" + plan.node, places.judge(), {}});
}

void Probes::add(std::string name, std::string id, std::size_t place, std::string_view several) {
    const auto observer = observers_.size();
    auto bench = std::find_if(benches_.begin(), benches_.end(), [several](const Bench& known) {
        return known.name == several;
    });
    if (bench == benches_.end()) {
        benches_.push_back({std::string(several), place, {}});
        bench = std::prev(benches_.end());
    }
    bench->observers.push_back(observer);
    observers_.push_back({std::move(name), std::move(id), place, {}});
}

std::optional<std::size_t> Probes::find_observer(std::string_view name) const {
    for (std::size_t i = 0; i < observers_.size(); ++i)
        if (observers_[i].name == name || observers_[i].id == name) return i;
    return std::nullopt;
}

void Probes::observe(std::size_t observer, std::size_t site, const ProbeReading& reading) {
    auto& rows = observers_[observer].rows;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& known) {
        return known.site == site && known.name == reading.name;
    });
    if (row == rows.end()) {
        if (rows.size() >= kMaxRows || reading.name.size() > kMaxNameBytes) return;
        rows.push_back({std::string(reading.name), site, {}});
        row = std::prev(rows.end());
    }
    const auto interval = std::clamp(reading.interval, kShortest, rules_.longest_interval);
    row->recent.add(reading.ok, reading.measured, interval, rules_.stale_intervals);
}

void Probes::clear() {
    for (auto& observer : observers_)
        for (auto& row : observer.rows) row.recent.clear();
}

void Probes::clear(std::size_t site) {
    for (auto& observer : observers_)
        for (auto& row : observer.rows)
            if (row.site == site) row.recent.clear();
}

Sees Probes::sees(const Bench& bench, std::size_t site, Time now) const {
    bool down = false;
    for (const auto observer : bench.observers)
        for (const auto& row : observers_[observer].rows) {
            if (row.site != site) continue;
            const auto said = row.recent.majority(now);
            if (said == Truth::yes) return Sees::up;
            down = down || said == Truth::no;
        }
    return down ? Sees::down : Sees::unknown;
}

std::optional<Time> Probes::measured(const Bench& bench, std::size_t site) const {
    std::optional<Time> newest;
    for (const auto observer : bench.observers)
        for (const auto& row : observers_[observer].rows)
            if (row.site == site) newest = std::max(newest, row.recent.measured());
    return newest;
}

}  // namespace twinsite::switchover::judge
