// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.hpp"

namespace twinsite::switchover::store {

/// One measured number. `host` is "SITE/NAME", `metric` "cpu.idle" or "disk.used_percent@/var".
struct HistoryPoint {
    std::string host;
    std::string metric;
    std::int64_t wall_ms = 0;  ///< When it was measured.
    double value = 0;
};

struct HistorySettings {
    std::string file;                      ///< A database of its own: never that of the runs.
    std::chrono::hours keep{24 * 7};       ///< Older points are removed.
    std::uint64_t max_bytes = 2ULL << 30;  ///< Beyond, the oldest hours are removed.
    std::size_t queue = 200'000;           ///< Points waiting to be written; beyond: dropped.
    std::chrono::milliseconds write_every{1'000};
};

struct HistoryCounters {
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;  ///< The queue was full, or the disk was.
    std::uint64_t errors = 0;
};

/// Measured numbers over time, for charts; nothing is judged by them. A thread of its own writes,
/// so that a slow disk holds up nobody: what is lost here is counted, not waited for.
class History {
public:
    /// A damaged file is moved aside (FILE.damaged) and a new one begun: history is worth less than
    /// a server that starts.
    static base::Result<std::unique_ptr<History>> open(const HistorySettings& settings);
    virtual ~History() = default;

    /// Any thread; returns at once.
    virtual void append(std::vector<HistoryPoint> points) = 0;
    /// Points since `since_wall_ms`, oldest first; when there are more than `limit`, evenly
    /// thinned. Reads what is written (at most about `write_every` old). One thread.
    virtual base::Result<std::vector<std::pair<std::int64_t, double>>> query(
        const std::string& host,
        const std::string& metric,
        std::int64_t since_wall_ms,
        std::size_t limit = 2'000
    ) = 0;
    /// Names of the metrics that this host has, sorted.
    virtual base::Result<std::vector<std::string>> metrics(const std::string& host) = 0;
    /// Writes all that waits and removes what is too old, now. Blocks: for tests and the end.
    virtual void flush() = 0;
    virtual HistoryCounters counters() const = 0;
};

}  // namespace twinsite::switchover::store
