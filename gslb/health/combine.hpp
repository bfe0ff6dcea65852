// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "gslb/health/verdict.hpp"

namespace twinsite::gslb::health {

/// What is known of a target: the combination of its checks, all of which must be up. A target
/// without checks is up.
struct Health {
    State state = State::unknown;
    bool pending = false;   ///< The next result could change the state.
    bool restored = false;  ///< Rests at least in part on verdicts of an earlier process.
    /// The shortest time in which the state could change, in seconds, rounded down to a power of
    /// two (so that answers do not move with each result); 0: less than a second. For TTLs.
    std::uint32_t soonest_change_s = kNever;

    /// No check: nothing can change.
    static constexpr std::uint32_t kNever = 0xFFFFFFFF;

    bool operator==(const Health&) const = default;
};

/// How long is told as Health::soonest_change_s.
std::uint32_t soonest_seconds(std::chrono::milliseconds time);

/// One down check makes the target down; else one unknown makes it unknown. Pending when one
/// result of one check could change the combination. A down combination comes up no sooner than its
/// slowest down check. Pure.
Health combine(const std::vector<Health>& checks);

}  // namespace twinsite::gslb::health
