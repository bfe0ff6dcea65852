// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.hpp"
#include "monitor/report/clocks.hpp"
#include "monitor/report/spool_file.hpp"
#include "monitor/spool/spool.hpp"

namespace twinsite::monitor::report {

/// A spool with its file: what the uplinks take from, and what survives a restart. One thread.
class Outbox {
public:
    /// `servers` are names that stay the same over restarts; without blanks and commas.
    Outbox(spool::Limits limits, std::vector<std::string> servers, std::string file, Clocks clocks);

    /// The newest report or batch; the one before it becomes backlog.
    void add(std::string text);
    std::optional<spool::Spool::Next> next(std::size_t server) const { return spool_.next(server); }
    void acknowledge(std::size_t server, std::uint64_t id);
    std::size_t backlog(std::size_t server) const { return spool_.backlog(server); }
    std::uint64_t dropped(std::size_t server) const { return spool_.dropped(server); }
    /// When memory is short. Gives what was dropped, in bytes.
    std::size_t drop_backlog();
    /// Writes down all that waits: before the end of the program.
    void save();

    const std::vector<std::string>& servers() const { return servers_; }
    const Clocks& clocks() const { return clocks_; }

private:
    SpoolFile::Moment moment() const;
    SpoolFile::Kept kept(const spool::Entry& entry) const;
    void restore();
    void write(const std::vector<spool::Entry*>& entries);
    void rewrite();

    std::vector<std::string> servers_;
    Clocks clocks_;
    std::string machine_start_;
    spool::Spool spool_;
    SpoolFile file_;
    base::log::Throttle not_written_{std::chrono::minutes(1)};
};

/// Which start of this machine it is, as the kernel names it; "" when it does not.
std::string machine_start();

}  // namespace twinsite::monitor::report
