// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// File systems and their use.
namespace twinsite::monitor::collect {

/// A line of /proc/self/mountinfo.
struct Mount {
    std::string device;  ///< "8:1", major:minor
    std::string point;   ///< Where it is mounted; octal escapes undone.
    std::string type;    ///< "ext4"
    std::string source;  ///< "/dev/sda1"
    bool read_only = false;

    bool operator==(const Mount&) const = default;
};
std::vector<Mount> parse_mountinfo(std::string_view text);

/// Mounts worth watching: real file systems, one of each device (the shortest path). Network file
/// systems and memory only when they are asked for by path in `include`, and then only those in
/// `include` at all. `exclude` goes first.
std::vector<Mount> choose_mounts(
    const std::vector<Mount>& all,
    const std::vector<std::string>& include,
    const std::vector<std::string>& exclude
);

/// What statvfs(3) gives, in blocks of `block_bytes`.
struct FileSystemCounts {
    std::uint64_t block_bytes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t free = 0;
    std::uint64_t available = 0;  ///< To others than root. Wraps around when "negative".
    std::uint64_t inodes = 0;     ///< 0: the file system has no limit.
    std::uint64_t inodes_free = 0;
};

struct DiskUse {
    std::uint64_t size_bytes = 0;
    std::uint64_t used_bytes = 0;
    std::uint64_t available_bytes = 0;
    unsigned used_percent = 0;  ///< As df: of what is used or can be, rounded up.
    unsigned inodes_used_percent = 0;
    bool flagged = false;  ///< Counts that cannot be; they were taken as 0.
};
DiskUse measure_disk(const FileSystemCounts& counts);

}  // namespace twinsite::monitor::collect
