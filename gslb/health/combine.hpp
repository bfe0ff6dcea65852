// SPDX-License-Identifier: Apache-2.0
#pragma once

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

    bool operator==(const Health&) const = default;
};

/// One down check makes the target down; else one unknown makes it unknown. Pending when one
/// result of one check could change the combination. Pure.
Health combine(const std::vector<Health>& checks);

}  // namespace twinsite::gslb::health
