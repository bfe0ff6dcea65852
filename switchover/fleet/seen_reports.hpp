// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinsite::switchover::fleet {

/// Which reports of one sender were taken, by run of the sender (`boot_id`) and number. Remembers
/// the last four runs and of each the newest 4,096 numbers: a little over 2 KiB at most.
class SeenReports {
public:
    /// False: it was taken before. Numbers older than what is remembered count as new: a point
    /// twice in a chart is better than a hole.
    bool add(const std::string& boot_id, std::uint64_t seq);

private:
    struct Run {
        std::uint64_t boot = 0;  // hash of the id: the id's size is the sender's choice
        std::uint64_t highest = 0;
        std::vector<std::uint64_t> bits;  // ring: number modulo its size
    };
    Run& run_of(std::uint64_t boot);

    std::vector<Run> runs_;  // the last used one at the end
};

}  // namespace twinsite::switchover::fleet
