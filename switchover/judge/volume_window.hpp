// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "switchover/judge/rules.hpp"

namespace twinsite::switchover::judge {

/// Attempts and good ones over a sliding window, in twelve slices.
class VolumeWindow {
public:
    struct Sum {
        double attempts = 0;
        double good = 0;
        /// 0..1; only with attempts.
        double share() const { return good / attempts; }
    };

    explicit VolumeWindow(Duration window) : slice_(window / kSlices) {}

    /// Negative or impossible counts are nothing.
    void add(double attempts, double good, Time at) {
        if (!(attempts > 0) || !(good >= 0) || good > attempts) return;
        const auto number = slice_of(at);
        auto& slice = slices_[static_cast<std::size_t>(number) % kSlices];
        if (slice.number > number) return;  // older than the window
        if (slice.number < number) slice = {number, {}};
        slice.sum.attempts += attempts;
        slice.sum.good += good;
    }
    Sum sum(Time now) const {
        const auto oldest = slice_of(now) - static_cast<std::int64_t>(kSlices) + 1;
        Sum out;
        for (const auto& slice : slices_) {
            if (slice.number < oldest) continue;
            out.attempts += slice.sum.attempts;
            out.good += slice.sum.good;
        }
        return out;
    }
    void clear() { slices_ = {}; }

private:
    static constexpr std::size_t kSlices = 12;
    struct Slice {
        std::int64_t number = -1;  // the clock counts from the machine's start: never negative
        Sum sum;
    };

    std::int64_t slice_of(Time at) const { return at.time_since_epoch() / slice_; }

    Duration slice_;
    std::array<Slice, kSlices> slices_{};
};

}  // namespace twinsite::switchover::judge
