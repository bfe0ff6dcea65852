// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace twinsite::gslb::health {

enum class State : std::uint8_t { unknown, up, down };
const char* to_string(State state);

/// How many results it takes. All at least 1.
struct Thresholds {
    std::uint32_t up = 20;    ///< Successes in a row that bring a check up.
    std::uint32_t ok = 10;    ///< Successes in a row that forgive earlier failures while up.
    std::uint32_t down = 10;  ///< Failures, in a row or not, that bring a check down.

    auto operator<=>(const Thresholds&) const = default;
};

/// From single results to a state that does not flap: the three-threshold model of gdnsd. Pure.
/// The first result after a start decides at once; before it the state is unknown, which is
/// neither up nor down.
class Verdict {
public:
    explicit Verdict(Thresholds thresholds) : thresholds_(thresholds) {}
    /// Continues from a state known earlier (a restart, a reload) with clean counters.
    Verdict(Thresholds thresholds, State known) : thresholds_(thresholds), state_(known) {}

    /// Takes the next result. True when the state changed.
    bool feed(bool success);

    State state() const { return state_; }
    /// The next result could change the state: answers should then be cached briefly.
    bool pending() const { return results_to_change() <= 1; }
    /// The least number of further results that can change the state.
    std::uint32_t results_to_change() const;

private:
    void enter(State state);

    Thresholds thresholds_;
    State state_ = State::unknown;
    std::uint32_t failures_ = 0;   ///< While up: not yet forgiven.
    std::uint32_t successes_ = 0;  ///< In a row: towards up, or towards forgiving.
};

}  // namespace twinsite::gslb::health
