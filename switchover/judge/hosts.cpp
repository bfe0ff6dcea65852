// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/hosts.hpp"

#include <algorithm>

namespace twinsite::switchover::judge {

namespace {

constexpr std::size_t kMaxProcesses = 256;  // of one host; reports come from outside
constexpr std::size_t kMaxNameBytes = 128;
constexpr double kReadOnly = 101;  // percent: beyond every limit, however empty the disk
constexpr double kLeaveGap = 3;    // percent between enter and leave
constexpr Duration kShortest{100};
constexpr Duration kLongest{600'000};

ConditionRule fullness(double enter, const Rules& rules) {
    ConditionRule out;
    out.side = Side::above;
    out.enter = enter;
    out.leave = enter - kLeaveGap;
    out.hold = rules.host_for;
    out.no_data_after = kLongest * rules.stale_intervals;  // freshness is judged by the report
    return out;
}

ConditionRule process_down(const Rules& rules) {
    ConditionRule out;
    out.side = Side::below;
    out.enter = 0.5;
    out.leave = 0.5;
    out.hold = rules.process_for;
    out.no_data_after = kLongest * rules.stale_intervals;
    return out;
}

std::uint8_t kind_bit(std::string_view kind) {
    if (kind == "interface") return 1;
    if (kind == "processing") return 2;
    return kind == "database" ? 4 : 8;
}

Level level_of(ConditionState state) {
    if (state == ConditionState::firing) return Level::confirmed;
    return state == ConditionState::pending ? Level::bad : Level::good;
}

}  // namespace

ProcessState process_state(std::string_view word) noexcept {
    if (word == "up") return ProcessState::up;
    if (word == "stuck") return ProcessState::stuck;
    if (word == "down") return ProcessState::down;
    return ProcessState::unknown;
}

Hosts::Hosts(const model::Plan& plan, const Places& places, const Rules& rules, Time start)
    : rules_(rules),
      start_(start),
      disk_(fullness(rules.disk_full_percent, rules)),
      memory_(fullness(rules.memory_full_percent, rules)),
      down_(process_down(rules)),
      counts_(places.size()) {
    hosts_.reserve(plan.agents.size());
    for (const auto& agent : plan.agents) {
        by_id_.emplace(agent.id(), hosts_.size());
        hosts_.emplace_back(*this, places.of(agent.site), kind_bit(agent.kind));
    }
}

std::optional<std::size_t> Hosts::find(std::string_view id) const {
    const auto found = by_id_.find(std::string(id));
    if (found == by_id_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::size_t> Hosts::find_process(std::size_t host, std::string_view name) const {
    for (const auto index : hosts_[host].processes)
        if (names_[index].name == name) return index;
    return std::nullopt;
}

void Hosts::observe(std::size_t index, const HostReading& reading) {
    auto& host = hosts_[index];
    if (host.heard && reading.measured <= host.measured) return;
    host.heard = true;
    host.measured = reading.measured;
    host.lasts =
        std::clamp(reading.interval, kShortest, rules_.longest_interval) * rules_.stale_intervals;
    if (reading.disk_read_only)
        host.disk.sample(kReadOnly, reading.measured);
    else if (reading.disk_used_percent >= 0)
        host.disk.sample(reading.disk_used_percent, reading.measured);
    if (reading.memory_used_percent >= 0)
        host.memory.sample(reading.memory_used_percent, reading.measured);
    for (const auto& process : reading.processes) observe_process(index, process, reading.measured);
}

void Hosts::observe_process(std::size_t host, const ProcessReading& reading, Time measured) {
    auto index = find_process(host, reading.name);
    if (!index) {
        auto& known = hosts_[host].processes;
        if (known.size() >= kMaxProcesses || reading.name.size() > kMaxNameBytes) return;
        index = processes_.size();
        known.push_back(static_cast<std::uint32_t>(*index));
        processes_.emplace_back(*this);
        processes_.back().restarts = reading.restarts;
        names_.emplace_back();
        names_.back().host = host;
        names_.back().name = reading.name;
    }
    auto& process = processes_[*index];
    // Down and up again between two reports: both were good, and yet it changed twice.
    if (reading.restarts > process.restarts) {
        if (process.reported == ProcessState::up && reading.state == ProcessState::up)
            process.track.count_restart(measured);
        names_[*index].restarts += static_cast<std::uint32_t>(
            std::min<std::uint64_t>(reading.restarts - process.restarts, 1'000)
        );
    }
    process.restarts = reading.restarts;
    process.reported = reading.state;
    if (reading.state != ProcessState::unknown)
        process.condition.sample(reading.state == ProcessState::up ? 1 : 0, measured);
}

bool Hosts::observe_outside(std::string_view subject, const ProbeReading& reading) {
    const auto colon = subject.find(':');
    if (colon == std::string_view::npos) return false;
    const auto host = find(subject.substr(0, colon));
    if (!host) return false;
    const auto index = find_process(*host, subject.substr(colon + 1));
    if (!index) return false;
    const auto interval = std::clamp(reading.interval, kShortest, rules_.longest_interval);
    processes_[*index].outside.add(reading.ok, reading.measured, interval, rules_.stale_intervals);
    return true;
}

Level Hosts::judge_host(Host& host, Time now, HostVerdict& out) {
    const bool fresh = host.heard && now <= host.measured + host.lasts;
    out.heard = host.heard;
    if (host.heard) out.measured = host.measured;
    out.flags.stale = !fresh && (host.heard || now - start_ >= rules_.first_report);
    if (!fresh) return Level::none;
    const auto disk = host.disk.evaluate(now);
    out.disk_bad = disk == ConditionState::firing;
    out.memory_bad = host.memory.evaluate(now) == ConditionState::firing;
    return level_of(disk);
}

Level Hosts::judge_process(Process& process, Time now) {
    const auto outside = process.outside.majority(now);
    const auto bad_for = lasting(outside == Truth::no, now, process.outside_bad_since);
    Level seen = Level::none;
    if (outside == Truth::yes) seen = Level::good;
    if (outside == Truth::no) seen = bad_for >= rules_.process_for ? Level::confirmed : Level::bad;
    if (process.reported == ProcessState::unknown) return seen;
    const auto state = process.condition.evaluate(now);
    return worst(state == ConditionState::unknown ? Level::none : level_of(state), seen);
}

void Hosts::count(std::size_t index, const HostVerdict& verdict, bool silent) {
    const auto& host = hosts_[index];
    auto& into = counts_[host.place];
    ++into.total;
    into.kinds |= host.kind;
    if (silent) {
        ++(verdict.flags.stale ? into.stale : into.unknown);
    } else if (verdict.state == State::failed) {
        ++into.failed;
    } else {
        ++into.ok;
        into.kinds_ok |= host.kind;
    }
}

void Hosts::evaluate(Time now, Verdicts& out, Heard& heard) {
    std::fill(counts_.begin(), counts_.end(), AgentCount{});
    out.hosts.resize(hosts_.size());
    for (std::size_t i = out.processes.size(); i < names_.size(); ++i)
        out.processes.push_back(names_[i]);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const bool silent = evaluate_host(i, now, out);
        count(i, out.hosts[i], silent);
        if (!silent) heard[hosts_[i].place] = true;
        for (const auto process : hosts_[i].processes) evaluate_process(process, now, silent, out);
    }
}

void Hosts::mark_blind(bool blind, Verdicts& out) const {
    for (auto& host : out.hosts) host.flags.blind = blind && host.flags.stale;
    for (auto& process : out.processes) process.flags.blind = blind && process.flags.stale;
}

bool Hosts::evaluate_host(std::size_t index, Time now, Verdicts& out) {
    auto& track = hosts_[index].track;
    auto& verdict = out.hosts[index];
    const auto level = judge_host(hosts_[index], now, verdict);
    const auto before = track.state();
    if (track.step(level, now, rules_))
        out.changes.push_back({EntityKind::host, index, before, track.state()});
    verdict.state = track.state();
    verdict.since = track.since();
    verdict.flags.flapping = track.flapping();
    return level == Level::none;
}

void Hosts::evaluate_process(std::size_t index, Time now, bool silent, Verdicts& out) {
    auto& process = processes_[index];
    auto& verdict = out.processes[index];
    if (silent) process.reported = ProcessState::unknown;  // yesterday's word
    const auto level = judge_process(process, now);
    const auto before = process.track.state();
    if (process.track.step(level, now, rules_))
        out.changes.push_back({EntityKind::process, index, before, process.track.state()});
    verdict.state = process.track.state();
    verdict.since = process.track.since();
    verdict.flags.stale = silent;
    verdict.flags.flapping = process.track.flapping();
    verdict.restarts = names_[index].restarts;
    verdict.down = level == Level::none ? Truth::unknown : truth_of(level == Level::confirmed);
}

void Hosts::acted_on_host(std::size_t index, Time now) {
    auto& host = hosts_[index];
    host.track.acted(now);
    host.disk.restart(now);
    host.memory.restart(now);
    for (const auto process : host.processes) acted_on_process(process, now);
}

void Hosts::acted_on_process(std::size_t index, Time now) {
    auto& process = processes_[index];
    process.track.acted(now);
    process.condition.restart(now);
    process.outside.clear();
    process.outside_bad_since.reset();
}

void Hosts::restart_timers(Time now) {
    for (auto& host : hosts_) {
        host.track.restart_timers();
        host.disk.restart(now);
        host.memory.restart(now);
    }
    for (auto& process : processes_) {
        process.track.restart_timers();
        process.condition.restart(now);
        process.outside.clear();
        process.outside_bad_since.reset();
    }
}

}  // namespace twinsite::switchover::judge
