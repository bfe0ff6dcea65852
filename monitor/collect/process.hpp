// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The state of a named process, from what /proc says. Pure.
namespace twinsite::monitor::collect {

using ProcessTime = std::chrono::steady_clock::time_point;

/// From /proc/PID/stat.
struct StatLine {
    std::int32_t pid = 0;
    std::string command;      ///< Cut by the kernel to 15 bytes; may hold any byte, ')' included.
    char state = '?';         ///< R S D Z T t X I
    std::uint64_t start = 0;  ///< Clock ticks since boot.
};
/// nullopt for another text. The command ends at the *last* ')' of the line.
std::optional<StatLine> parse_stat(std::string_view text);

/// Which process it is. A number alone is given to others later on, and the time of start has steps
/// of 10 ms, so the program file belongs to it.
struct ProcessIdentity {
    std::int32_t pid = 0;
    std::uint64_t start = 0;
    std::uint64_t program = 0;  ///< Inode of the program's file; 0: not known.

    auto operator<=>(const ProcessIdentity&) const = default;
};

/// One process that fits a configured name.
struct Instance {
    ProcessIdentity identity;
    char state = '?';
    bool thread_alive = false;  ///< Main thread gone (Z), but another one lives.
};

enum class ProcessState : std::uint8_t { up, stuck, down, unknown };
std::string_view to_string(ProcessState state);

struct ProcessVerdict {
    ProcessState state = ProcessState::unknown;
    unsigned count = 0;          ///< Instances that are up or stuck.
    std::uint64_t restarts = 0;  ///< Since this program watches.
    std::string detail;          ///< For people; empty when there is nothing to say.
    std::optional<ProcessIdentity> oldest;
};

/// Watches the instances of one name over time. `stuck` needs a D or T that lasts.
class ProcessWatch {
public:
    ProcessWatch(unsigned min, unsigned max, std::chrono::milliseconds stuck_after)
        : min_(min), max_(max), stuck_after_(stuck_after) {}

    /// `hidden`: processes that could be ours but could not be looked at: with too few instances
    /// the state is then not known.
    ProcessVerdict look(const std::vector<Instance>& instances, bool hidden, ProcessTime now);

private:
    struct Known {
        ProcessIdentity identity;
        ProcessTime halted_since{};
        bool halted = false;
    };
    void follow(const std::vector<Instance>& instances, ProcessTime now);
    ProcessState judge(unsigned up, unsigned stuck, bool hidden) const;

    const unsigned min_;
    const unsigned max_;
    const std::chrono::milliseconds stuck_after_;
    std::vector<Known> known_;
    bool seen_before_ = false;
    std::uint64_t vanished_ = 0;  ///< Ended instances that no new one has replaced yet.
    std::uint64_t restarts_ = 0;
};

}  // namespace twinsite::monitor::collect
