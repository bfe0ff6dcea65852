// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "switchover/judge/rules.hpp"
#include "switchover/judge/verdicts.hpp"

namespace twinsite::switchover::judge {

/// The last three results of something that is asked again and again. Two of the three decide: one
/// lucky answer does not make it good, one lost answer does not make it bad (control.md 20).
class Recent {
public:
    /// A result measured at that time; false when it is the last one again, or an older one.
    /// After a silence longer than the results count, the row starts anew.
    bool add(bool good, Time measured, Duration interval, unsigned intervals) {
        if (measured_ && measured < *measured_ + kSame) return false;
        if (measured_ && measured > *measured_ + lasts_) clear();
        lasts_ = span(measured, interval) * intervals;
        bits_ = static_cast<std::uint8_t>(((bits_ << 1U) | (good ? 1U : 0U)) & 7U);
        if (count_ < 3) ++count_;
        if (!good) good_since_.reset();
        if (good && !good_since_) good_since_ = measured;
        measured_ = measured;
        return true;
    }
    /// Forgets all results.
    void clear() {
        bits_ = 0;
        count_ = 0;
        good_since_.reset();
        measured_.reset();
    }

    bool fresh(Time now) const { return measured_ && now <= *measured_ + lasts_; }
    /// What two of the last three say; unknown when there are not two alike, or none is fresh.
    Truth majority(Time now) const {
        if (!fresh(now)) return Truth::unknown;
        const unsigned good = (bits_ & 1U) + ((bits_ >> 1U) & 1U) + ((bits_ >> 2U) & 1U);
        if (good >= 2) return Truth::yes;
        return count_ - good >= 2 ? Truth::no : Truth::unknown;
    }
    bool last() const { return bits_ & 1U; }
    std::optional<Time> measured() const { return measured_; }
    /// Begin of the unbroken run of good results; nullopt after a bad one.
    std::optional<Time> good_since() const { return good_since_; }

private:
    // The same result told twice comes with its age reckoned anew, some milliseconds off.
    static constexpr Duration kSame{100};
    static constexpr Duration kLongestGap{60'000};

    /// Results may come more rarely than reports: then their own distance counts.
    Duration span(Time measured, Duration interval) const {
        if (!measured_) return interval;
        const auto gap = std::chrono::duration_cast<Duration>(measured - *measured_);
        return std::max(interval, std::min(gap, kLongestGap));
    }

    std::uint8_t bits_ = 0;  // bit 0: the newest
    std::uint8_t count_ = 0;
    Duration lasts_{0};
    std::optional<Time> measured_;
    std::optional<Time> good_since_;
};

}  // namespace twinsite::switchover::judge
