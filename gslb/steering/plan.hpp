// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace twinsite::gslb::steering {

enum class PlanMode : std::uint8_t {
    all,             ///< answer every member, in order
    weighted_one,    ///< draw one option for each query, odds by weight
    weighted_multi,  ///< draw each member for each query, odds weight / heaviest weight
    sticky_one,      ///< one member by the client's network, odds by weight (rendezvous.hpp)
    rotate,          ///< as `all`, each query beginning at another record
    nodata,          ///< answer no record of this type
};

/// One target that a plan answers with.
struct PlanMember {
    std::size_t target = 0;  ///< index into Service::targets; kLastResort for Policy::last_resort
    std::vector<std::vector<std::uint8_t>> rdatas;  ///< of the plan's type, never empty
    std::uint32_t weight = 1;                       ///< 1.. ; for the modes that draw
    std::uint64_t key = 0;                          ///< sticky_one: who this is, at every server
    bool operator==(const PlanMember&) const = default;
};
inline constexpr std::size_t kLastResort = ~std::size_t{0};

/// Members that are answered together when a draw falls on them.
struct PlanOption {
    std::uint32_t weight = 1;          ///< 1..
    std::vector<std::size_t> members;  ///< indexes into Plan::members
    bool operator==(const PlanOption&) const = default;
};

/// What one steered name answers to clients of one class for one record type.
struct Plan {
    PlanMode mode = PlanMode::nodata;
    std::uint16_t type = 0;           ///< of the records: the asked one, or CNAME
    std::vector<PlanMember> members;  ///< best first; empty exactly when mode is nodata
    std::vector<PlanOption> options;  ///< weighted_one: empty = each member is one
    std::uint32_t take = 0;           ///< rotate: so many members of each turn; 0 = all
    std::uint32_t ttl_s = 0;
    /// Clients of another class may get something else: the ECS scope is the depth of the class.
    /// False: scope 0. It follows from the configuration, not from today's health, so that scopes
    /// do not change in a failover.
    bool client_dependent = false;
    /// The resolver's address decides; the scope is 0 whatever the query says.
    bool ignores_subnet = false;
    /// sticky: the widest network whose clients are one, in bits; 0 = not sticky. Configuration.
    std::uint8_t sticky_bits_v4 = 0;
    std::uint8_t sticky_bits_v6 = 0;
    /// No target has a record of this type, so neither health nor an override can change
    /// "no data": it may be cached as long as the zone says. Otherwise no longer than ttl_s.
    bool lasting = false;
    bool operator==(const Plan&) const = default;
};

}  // namespace twinsite::gslb::steering
