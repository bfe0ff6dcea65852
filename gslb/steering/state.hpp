// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twinsite::gslb::steering {

enum class Health : std::uint8_t {
    unknown,  ///< not probed yet: used only when no target is up
    up,       ///< also the state of a target without checks
    down,
};

/// A word about a target that stands above health and never touches it: an operator's (override),
/// or switchover's (control), which knows no `up`.
enum class Forced : std::uint8_t {
    none,
    up,
    down,   ///< never answered, not even when nothing else is left
    drain,  ///< gets no new clients unless nothing else is left
};

/// What is known about one target at the moment of a decision.
struct TargetState {
    Health health = Health::unknown;
    bool pending = false;           ///< probes disagree with `health`: it may change soon
    Forced forced = Forced::none;   ///< by an operator's override
    Forced control = Forced::none;  ///< by switchover; counts when no override speaks
    bool operator==(const TargetState&) const = default;
};

/// What holds for a target beside its health: the override, else control.
constexpr Forced word_of(const TargetState& state) noexcept {
    return state.forced != Forced::none ? state.forced : state.control;
}

constexpr const char* to_string(Health health) noexcept {
    switch (health) {
        case Health::up:
            return "up";
        case Health::down:
            return "down";
        case Health::unknown:
            break;
    }
    return "unknown";
}

/// "none", "up", "down" or "drain".
constexpr const char* to_string(Forced forced) noexcept {
    switch (forced) {
        case Forced::up:
            return "up";
        case Forced::down:
            return "down";
        case Forced::drain:
            return "drain";
        case Forced::none:
            break;
    }
    return "none";
}

}  // namespace twinsite::gslb::steering
