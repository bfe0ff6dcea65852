// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace twinsite::gslb::health {

using Clock = std::chrono::steady_clock;

/// How much earlier than a whole interval a check may start, as a part of the interval: enough to
/// pull checks apart that began together, and never later, so that the time to detect a failure
/// keeps its bound.
constexpr std::int64_t kJitterPart = 10;

/// When a check starts that last started at `started`. The run's own time counts, so the period
/// stays the interval; a run that took longer is followed at once, and nothing is caught up on.
/// `random` is uniform over all 64 bits. Pure.
inline Clock::time_point next_start(
    Clock::time_point started, Clock::time_point now, Clock::duration interval, std::uint64_t random
) {
    const auto span = static_cast<std::uint64_t>(interval.count() / kJitterPart) + 1;
    const Clock::duration early(static_cast<std::int64_t>(random % span));
    return std::max(now, started + interval - early);
}

}  // namespace twinsite::gslb::health
