// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/text/ip.hpp"

namespace twinsite::gslb::steering {

enum class PlanMode : std::uint8_t {
    all,           ///< answer every member, in order
    weighted_one,  ///< draw one member for each query, odds by weight
    nodata,        ///< answer no record of this type
};

/// One target that a plan answers with.
struct PlanMember {
    std::size_t target = 0;                        ///< index into Service::targets
    std::vector<base::text::IpAddress> addresses;  ///< of the plan's family, never empty
    std::uint32_t weight = 1;                      ///< 1.. ; only weighted_one looks at it
    bool operator==(const PlanMember&) const = default;
};

/// What one steered name answers to clients of one class in one address family.
struct Plan {
    PlanMode mode = PlanMode::nodata;
    std::vector<PlanMember> members;  ///< best first; empty exactly when mode is nodata
    std::uint32_t ttl_s = 0;
    /// Clients of another class may get something else: the ECS scope is the depth of the class.
    /// False: scope 0. It follows from the configuration, not from today's health, so that scopes
    /// do not change in a failover.
    bool client_dependent = false;
    /// No target has an address of this family, so neither health nor an override can change
    /// "no data": it may be cached as long as the zone says. Otherwise no longer than ttl_s.
    bool lasting = false;
    bool operator==(const Plan&) const = default;
};

}  // namespace twinsite::gslb::steering
