// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/descriptor.hpp"

namespace twinsite::monitor::report {

/// Entries of a spool that outlive the program: a file of lines, appended to and written anew when
/// too much of it is history. Lines that cannot be read (a torn end) are left out. Not synced: what
/// a crash of the machine takes is measurements only. Format: docs/protocol/agent.md.
class SpoolFile {
public:
    struct Kept {
        std::uint64_t id = 0;
        std::chrono::milliseconds measured{};  ///< On the monotonic clock of now.
        std::vector<std::string> servers;      ///< Who lacks it.
        std::string text;
    };
    struct Loaded {
        std::vector<Kept> entries;  ///< Oldest first.
        std::size_t damaged = 0;    ///< Lines left out.
    };
    /// The two clocks when it is called, and which start of the machine the monotonic one counts
    /// from: "" when not known.
    struct Moment {
        std::chrono::milliseconds monotonic{};
        std::uint64_t wall_ms = 0;
        std::string machine_start;
    };

    static constexpr std::size_t kMaxBytes = 8 * 1024 * 1024;

    explicit SpoolFile(std::string path) : path_(std::move(path)) {}

    /// What the file holds. A missing file holds nothing; one that cannot be read counts as one
    /// damaged line. The age of an entry comes from the monotonic clock when the machine has not
    /// restarted since, else from the wall clock, between none and `kMaxAge`.
    Loaded load(const Moment& now) const;
    static constexpr std::chrono::hours kMaxAge{24};

    /// False when the file would grow beyond kMaxBytes or cannot be written: then `rewrite`.
    bool append(const Kept& entry, const Moment& now);
    bool append_acknowledged(std::uint64_t id, std::string_view server);
    /// Replaces the file; no entries: removes it. False when that failed.
    bool rewrite(const std::vector<Kept>& entries, const Moment& now);
    std::size_t size_bytes() const { return bytes_; }

private:
    bool write(std::string_view line);

    std::string path_;
    base::file::Descriptor file_;
    std::size_t bytes_ = 0;
    bool needs_rewrite_ = false;  ///< The last one failed: the old file still stands.
};

}  // namespace twinsite::monitor::report
