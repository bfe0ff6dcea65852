// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gslb/steering/chain.hpp"
#include "gslb/steering/plan.hpp"
#include "gslb/steering/policy.hpp"

namespace twinsite::gslb::steering {

/// What a chain came to, for comparing and for making the plan.
struct Outcome {
    struct Kept {
        std::size_t target = 0;
        std::uint32_t weight = 1;  ///< 1..
        bool operator==(const Kept&) const = default;
    };
    std::vector<Kept> kept;
    Drawing drawing = Drawing::none;
    std::uint32_t take = 0;
    std::vector<Chain::SiteOdds> spill;
    bool last_resort = false;
    bool operator==(const Outcome&) const = default;
};

Outcome take_outcome(const Chain& chain);

/// Answers with Policy::last_resort where `up` found nothing. A CNAME is for every type, so it
/// counts only while no target is left for any of them.
void apply_last_resort(Chain& chain);

/// Members, their records and how they are drawn. TTL and dependence on the client are not set.
Plan make_plan(
    const Outcome& outcome, const Policy& policy, const Service& service, std::uint16_t type
);

}  // namespace twinsite::gslb::steering
