// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "wire/contract/report.hpp"

/// The numbers of one machine: processor, memory, disks, processes.
namespace twinsite::monitor::collect {

/// One process to watch. Exactly one of exe, cmdline and pidfile is set.
struct ProcessConfig {
    std::string name;
    std::string exe;      ///< Absolute path of the program.
    std::string cmdline;  ///< Regular expression; matches the whole command line.
    std::string pidfile;
    std::uint32_t min = 1;
    std::uint32_t max = 1;
    std::chrono::milliseconds stuck_after{60'000};
};

/// `collect:` of monitor.yaml.
struct CollectConfig {
    std::vector<std::string> include_disks;  ///< Mount points; empty: all real file systems.
    std::vector<std::string> exclude_disks;
    std::vector<ProcessConfig> processes;
};
CollectConfig parse_collect(base::config::Cursor at);

/// Takes samples with one thread per kind of collector at most, so that a hung file system costs
/// one stuck sample and no second thread. Created, used and destroyed on one thread.
class Collectors {
public:
    explicit Collectors(CollectConfig config);
    ~Collectors();
    Collectors(const Collectors&) = delete;
    Collectors& operator=(const Collectors&) = delete;

    /// The newest values of all collectors, each with its own status and age. Returns within one
    /// second, whatever hangs; normally at once, since the measuring is done beforehand.
    std::vector<wire::contract::Sample> sample();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::monitor::collect
