// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>

#include "gslb/health/schedule.hpp"

namespace twinsite::gslb::health {

enum class State : std::uint8_t { unknown, up, down };
const char* to_string(State state);

/// How many results it takes (all at least 1), and how long.
struct Thresholds {
    std::uint32_t up = 20;    ///< Successes in a row that bring a check up.
    std::uint32_t ok = 10;    ///< Successes in a row that forgive earlier failures while up.
    std::uint32_t down = 10;  ///< Failures, in a row or not, that bring a check down.
    /// A check that was up and went down stays so for at least this long.
    std::chrono::milliseconds hold_down{0};

    auto operator<=>(const Thresholds&) const = default;
};

/// From single results to a state that does not flap: the three-threshold model of gdnsd, and a
/// hold-down. Pure. The first result after a start decides at once; before it the state is unknown,
/// which is neither up nor down.
class Verdict {
public:
    explicit Verdict(Thresholds thresholds) : thresholds_(thresholds) {}
    /// Continues from a state known earlier (a restart, a reload) with clean counters.
    /// `held_until`: of its hold-down.
    Verdict(
        Thresholds thresholds,
        State known,
        std::optional<Clock::time_point> held_until = std::nullopt
    )
        : thresholds_(thresholds), state_(known), held_until_(held_until) {}

    /// Takes the next result. True when the state changed.
    bool feed(bool success, Clock::time_point now);

    State state() const { return state_; }
    /// The next result, an `interval` after the last one, could change the state: answers should
    /// then be cached briefly.
    bool pending(std::chrono::milliseconds interval) const {
        return results_to_change() <= 1 && held_beyond(interval) <= Clock::duration::zero();
    }
    /// The least number of further results that can change the state.
    std::uint32_t results_to_change() const;
    /// The shortest time to a change of state, counted from when the next result is due at the
    /// latest, so that it holds at any moment until then. Results come each `interval`, or a little
    /// earlier (next_start).
    std::chrono::milliseconds soonest_change(std::chrono::milliseconds interval) const;
    /// Down, and no success changes that before then.
    std::optional<Clock::time_point> held_until() const { return held_until_; }

private:
    void enter(State state);
    /// How long the hold-down lasts after the result that is due after `interval`.
    Clock::duration held_beyond(std::chrono::milliseconds interval) const;

    Thresholds thresholds_;
    State state_ = State::unknown;
    std::uint32_t failures_ = 0;                   ///< While up: not yet forgiven.
    std::uint32_t successes_ = 0;                  ///< In a row: towards up, or towards forgiving.
    std::optional<Clock::time_point> held_until_;  ///< While down.
    Clock::time_point last_{};                     ///< Of the last result.
};

}  // namespace twinsite::gslb::health
