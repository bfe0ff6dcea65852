// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace twinsite::base::file {

/// Tells when one of some files has changed, by looking at them now and then. Files that belong
/// together are rarely replaced in one moment, so a change is told once they have been at rest for
/// kPeriod: by their own times, or because two looks in a row found the same. One thread.
class Watch {
public:
    using Time = std::chrono::steady_clock::time_point;
    using WallTime = std::chrono::system_clock::time_point;

    /// Empty paths are ignored. What the files are now is no change.
    explicit Watch(std::vector<std::string> paths);

    /// True once per change, when nothing moves any more. Looks at most each `kPeriod`.
    bool changed(Time now, WallTime wall = std::chrono::system_clock::now());
    static constexpr std::chrono::milliseconds kPeriod{500};

private:
    struct Stamp {
        std::uint64_t device = 0, inode = 0, size = 0;
        std::int64_t modified_ns = 0, changed_ns = 0;
        bool operator==(const Stamp&) const = default;
    };
    std::vector<Stamp> look() const;
    static bool at_rest(const std::vector<Stamp>& stamps, WallTime wall);

    std::vector<std::string> paths_;
    std::vector<Stamp> told_;
    std::vector<Stamp> seen_;
    Time next_{};
};

}  // namespace twinsite::base::file
