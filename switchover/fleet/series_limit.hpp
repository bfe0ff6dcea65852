// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "switchover/fleet/host.hpp"

namespace twinsite::switchover::fleet {

/// Bounds how many series one host has in the history: their names are the agent's choice. One that
/// had no point for a day makes room. Told the time.
class SeriesLimit {
public:
    static constexpr std::size_t kMost = 256;

    /// False: there are too many others.
    bool take(const std::string& metric, Time now);
    std::size_t size() const { return last_.size(); }

private:
    std::unordered_map<std::string, Time> last_;  // when it had a point
    Time swept_{};
};

}  // namespace twinsite::switchover::fleet
