// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "switchover/judge/condition.hpp"
#include "switchover/judge/judge.hpp"
#include "switchover/judge/places.hpp"
#include "switchover/judge/recent.hpp"
#include "switchover/judge/track.hpp"

namespace twinsite::switchover::judge {

/// What the agents of a place are, counted at one evaluation.
struct AgentCount {
    unsigned ok = 0;
    unsigned failed = 0;   ///< fresh, and say themselves that they failed
    unsigned stale = 0;    ///< silent for too long, also those never heard
    unsigned unknown = 0;  ///< never heard, too early to call it silence
    unsigned total = 0;
    std::uint8_t kinds = 0;     ///< kinds of machines that there are, one bit each
    std::uint8_t kinds_ok = 0;  ///< those of which one is well
    unsigned fresh() const { return total - stale - unknown; }
};

/// Machines and their processes: freshness of reports, rules on the numbers, processes.
class Hosts {
public:
    Hosts(const model::Plan& plan, const Places& places, const Rules& rules, Time start);
    // Conditions hold references to the rules in here.
    Hosts(const Hosts&) = delete;
    Hosts& operator=(const Hosts&) = delete;

    std::optional<std::size_t> find(std::string_view id) const;
    std::optional<std::size_t> find_process(std::size_t host, std::string_view name) const;

    void observe(std::size_t host, const HostReading& reading);
    /// A probe from outside at a process; false when no report named the process yet.
    bool observe_outside(std::string_view process, const ProbeReading& reading);

    /// Judges all; writes hosts, processes and changes, and what was heard from where.
    void evaluate(Time now, Verdicts& out, Heard& heard);
    /// Marks what is silent: that may be the judge's own fault.
    void mark_blind(bool blind, Verdicts& out) const;
    /// By place, of the last evaluation.
    const AgentCount& count(std::size_t place) const { return counts_[place]; }

    void acted_on_host(std::size_t host, Time now);
    void acted_on_process(std::size_t process, Time now);
    void restart_timers(Time now);

    const Condition& disk(std::size_t host) const { return hosts_[host].disk; }
    const Condition& memory(std::size_t host) const { return hosts_[host].memory; }
    const Condition& process(std::size_t process) const { return processes_[process].condition; }
    const Recent& outside(std::size_t process) const { return processes_[process].outside; }
    ProcessState reported(std::size_t process) const { return processes_[process].reported; }

private:
    struct Host {
        Host(const Hosts& in, std::size_t at, std::uint8_t bit)
            : place(at), kind(bit), disk(in.disk_), memory(in.memory_) {}
        std::size_t place;
        std::uint8_t kind;  // one bit
        bool heard = false;
        Time measured{};
        Duration lasts{0};
        Track track;
        Condition disk;
        Condition memory;
        std::vector<std::uint32_t> processes;
    };
    struct Process {
        explicit Process(const Hosts& in) : condition(in.down_) {}
        Track track;
        Condition condition;
        ProcessState reported = ProcessState::unknown;
        std::uint64_t restarts = 0;  // the agent's counter
        Recent outside;
        std::optional<Time> outside_bad_since;
    };

    void observe_process(std::size_t host, const ProcessReading& reading, Time measured);
    /// True when the host is silent.
    bool evaluate_host(std::size_t index, Time now, Verdicts& out);
    void evaluate_process(std::size_t index, Time now, bool silent, Verdicts& out);
    Level judge_host(Host& host, Time now, HostVerdict& out);
    Level judge_process(Process& process, Time now);
    void count(std::size_t host, const HostVerdict& verdict, bool silent);

    // fixed after construction
    const Rules& rules_;
    const Time start_;
    ConditionRule disk_;
    ConditionRule memory_;
    ConditionRule down_;
    std::unordered_map<std::string, std::size_t> by_id_;

    std::vector<Host> hosts_;
    std::vector<Process> processes_;
    std::vector<ProcessVerdict> names_;  // host and name of each process; copied into verdicts
    std::vector<AgentCount> counts_;
};

}  // namespace twinsite::switchover::judge
