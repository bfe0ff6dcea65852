// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace twinsite::monitor::spool {

/// Monotonic time, as told by the caller. May be negative: measured before the machine's start.
using Time = std::chrono::milliseconds;

/// One encoded report or batch that waits for servers.
struct Entry {
    std::uint64_t id = 0;    ///< Grows with every entry.
    Time measured{};         ///< When its values were taken.
    std::string text;        ///< JSON without line breaks.
    std::uint64_t owed = 0;  ///< Bit N: server N has not acknowledged it.
    bool on_disk = false;    ///< The owner wrote it to its file.
};

struct Limits {
    std::size_t bytes = 6 * 1024 * 1024;  ///< Of all texts; the oldest go first.
    std::chrono::milliseconds age = std::chrono::hours(24);
    std::size_t live = 60;  ///< So many of the newest are kept in memory only.
};

/// What waits to be sent, for several servers at once, each with a cursor of its own. Freshest
/// first: the newest entry is live, everything older that a server still lacks is backlog. Pure.
class Spool {
public:
    static constexpr std::size_t kMaxServers = 64;

    /// `servers` in 1..kMaxServers.
    Spool(Limits limits, std::size_t servers);

    /// The newest entry, owed to every server. Gives its id.
    std::uint64_t add(std::string text, Time measured);
    /// An entry of an earlier run, owed to the servers of the mask; never live. To be called
    /// before the first `add`, oldest first.
    void restore(std::string text, Time measured, std::uint64_t owed);

    struct Next {
        const Entry* entry;  ///< Until the spool changes.
        bool live;
    };
    /// What to send to a server: the newest that it lacks.
    std::optional<Next> next(std::size_t server) const;
    /// The server has it, or will never take it. Ids that are gone already are ignored.
    void acknowledge(std::size_t server, std::uint64_t id);

    /// Entries that a server lacks beside the live one.
    std::size_t backlog(std::size_t server) const;
    /// Entries given up before the server had them.
    std::uint64_t dropped(std::size_t server) const { return dropped_.at(server); }
    std::size_t bytes() const { return bytes_; }
    std::size_t size() const { return entries_.size(); }

    /// Gives up what is too old or too much.
    void trim(Time now);
    /// Gives up all but the live entry, when memory is short.
    void drop_backlog();
    /// Entries older than the `live` newest that are not on disk: the owner writes them there.
    /// With `all`, every entry that somebody lacks: before the end of the program.
    std::vector<Entry*> to_write(bool all);
    const std::deque<Entry>& entries() const { return entries_; }

private:
    void drop_oldest();

    Limits limits_;
    std::uint64_t everyone_;
    std::uint64_t next_id_ = 1;
    std::uint64_t live_id_ = 0;  ///< Newest added in this run; 0: none yet.
    std::size_t bytes_ = 0;
    std::deque<Entry> entries_;  ///< By id.
    std::vector<std::uint64_t> dropped_;
};

}  // namespace twinsite::monitor::spool
