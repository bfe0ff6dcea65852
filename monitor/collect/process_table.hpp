// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "monitor/collect/collectors.hpp"
#include "monitor/collect/process.hpp"

namespace twinsite::monitor::collect {

/// Finds the processes of configured names below `proc` ("/proc"; a test gives a folder). One
/// thread.
class ProcessTable {
public:
    ProcessTable(const std::vector<ProcessConfig>& wanted, std::string proc = "/proc");

    /// Reads the state of the known instances of all names; reads the whole table as well when
    /// `whole`, or when a known one is gone. Afterwards `instances` is up to date.
    void refresh(bool whole);

    struct Found {
        std::vector<Instance> instances;
        bool hidden = false;
    };
    /// Of the name at this index of the configuration.
    const Found& found(std::size_t index) const { return found_[index]; }

private:
    struct Matcher {
        std::string exe;
        std::regex cmdline;
        std::string pidfile;
        enum class By : std::uint8_t { exe, cmdline, pidfile } by = By::exe;
    };
    /// What one process is, read once in a scan.
    struct Candidate {
        StatLine stat;
        std::string exe;  ///< Empty: not readable.
        std::string cmdline;
        std::uint64_t program = 0;
        bool exe_forbidden = false;
    };

    bool refresh_known();
    void scan();
    std::optional<Candidate> read_candidate(const std::string& pid) const;
    void match(const Candidate& candidate);
    void update(std::vector<Instance>& list, const Candidate& candidate, bool fits) const;
    void match_pidfile(std::size_t index);
    Instance to_instance(const Candidate& candidate) const;
    bool has_living_thread(std::int32_t pid) const;
    bool newer_than_file(const StatLine& stat, const std::string& file) const;

    const std::string proc_;
    std::vector<Matcher> matchers_;
    std::vector<Found> found_;
};

}  // namespace twinsite::monitor::collect
