// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/steering/policy.hpp"

namespace twinsite::gslb::answer {

/// What may come next: each site down and each site up, everything down, and each target of a
/// service turned (the first of every service together, then the second, ...; at most 16).
std::vector<ServiceStates> likely_states(
    const steering::Steering& steering, const ServiceStates& now
);

}  // namespace twinsite::gslb::answer
