// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace twinsite::switchover {

/// When users could not be served, as the charging probes tell it: for R0 and R5 of a run. One
/// stop of a view begins with its first bad answer and is over at the first good one of an unbroken
/// run of `hold`. Pure. Times are Unix ms of this server's clock.
class RtoClock {
public:
    using WallMs = std::int64_t;

    /// `hold`: for how long answers must be good before the stop counts as over.
    explicit RtoClock(std::chrono::milliseconds hold) : hold_ms_(hold.count()) {}

    /// An answer to the probe of `view` ("ocs/east by mon-arbiter"). Not older than the last one of
    /// the same view.
    void observe(const std::string& view, bool good, WallMs at);

    struct Stop {
        std::optional<WallMs> last_good;  ///< None: never good before.
        WallMs first_bad = 0;
        std::optional<WallMs> over;  ///< First good answer of the run that ended it.
    };
    /// The stops of one incident together, from the earliest last good answer to the latest end:
    /// of those that had begun when its trigger `fired` (default: now) and were not over by
    /// `since`, the last one and all that touch or overlap it; and all that began later. nullopt:
    /// there were none. Its `over` is set when all are over. A stop whose probe has said nothing
    /// for kSilent does not count: its observer may be lost too.
    std::optional<Stop> stops_since(
        WallMs since, WallMs now, std::optional<WallMs> fired = std::nullopt
    ) const;
    /// The stops together whose first bad answer came at `since` or later.
    std::optional<Stop> stops_begun_since(WallMs since, WallMs now) const;
    /// For a run found at the start: users were last served at `last_good`, and what we did not see
    /// counts as bad, for views whose first answer comes before `until`.
    void resume(WallMs last_good, WallMs until) { resumed_ = Resumed{last_good, until}; }

    static constexpr std::chrono::milliseconds kSilent{10'000};

private:
    struct View {
        std::optional<WallMs> last_good;
        std::optional<WallMs> good_since;  ///< Of the unbroken run of good answers.
        WallMs seen = 0;                   ///< Time of the last answer.
        std::deque<Stop> stops;            ///< The newest few.
    };
    struct Resumed {
        WallMs last_good;
        WallMs until;
    };
    /// Those that can count: over, or open and heard of lately.
    std::vector<Stop> known_stops(WallMs now) const;

    static constexpr std::size_t kStopsKept = 64;

    const std::int64_t hold_ms_;
    std::map<std::string, View> views_;
    std::optional<Resumed> resumed_;
};

}  // namespace twinsite::switchover
