// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace twinsite::monitor::report {

/// When reports are due: once per interval of the monotonic clock, at a phase that comes from who
/// reports, so that a thousand agents are spread over the interval. What was missed (the machine
/// slept) is not made up for. A value.
class Schedule {
public:
    using Time = std::chrono::milliseconds;

    /// `interval` above zero.
    Schedule(std::string_view id, Time interval)
        : interval_(interval),
          phase_(static_cast<std::int64_t>(hash(id) % static_cast<std::uint64_t>(interval.count()))
          ) {}

    Time interval() const { return interval_; }
    Time phase() const { return phase_; }
    /// The first due time after `now`.
    Time next(Time now) const {
        const auto since = (now - phase_).count();
        const auto width = interval_.count();
        auto turns = since / width;
        if (since < 0 && since % width != 0) --turns;
        return phase_ + interval_ * (turns + 1);
    }

private:
    /// FNV-1a, then mixed so that names that differ in their last digit land far apart.
    static std::uint64_t hash(std::string_view text) {
        std::uint64_t out = 0xCBF29CE484222325;
        for (const char c : text) {
            out ^= static_cast<unsigned char>(c);
            out *= 0x100000001B3;
        }
        out ^= out >> 33;
        out *= 0xFF51AFD7ED558CCD;
        return out ^ (out >> 33);
    }

    Time interval_;
    Time phase_;
};

}  // namespace twinsite::monitor::report
