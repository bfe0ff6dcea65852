// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

/// One place where a service runs: the thing that is up or down.
struct Target {
    std::string name;  ///< unique in its service
    SiteIndex site = 0;
    std::vector<base::text::IpAddress> addresses;  ///< either family, in answer order
    std::uint32_t weight = 1;                      ///< 0..65535; 0 = only when nothing else is left
};

struct Service {
    std::string name;
    std::vector<Target> targets;
};

// A bare `override` would read as the keyword. NOLINTNEXTLINE(readability-identifier-naming)
enum class FilterKind : std::uint8_t { override_, up, nearest, failover, weighted };

/// One stage of a chain.
struct Filter {
    FilterKind kind = FilterKind::up;
    /// failover: the order of sites to use in place of the order so far; empty = keep that order.
    /// nearest: the default order for clients without a class and after the listed sites; empty =
    /// the policy's. Unused by the others.
    SiteOrder order;
};

/// "override", "up", "nearest", "failover", "weighted".
std::optional<FilterKind> parse_filter_kind(std::string_view name);
const char* to_string(FilterKind kind) noexcept;
/// All names, for "unknown filter, did you mean".
std::vector<std::string> filter_names();

/// What to answer when health leaves no target.
enum class AllDown : std::uint8_t {
    open,    ///< health is not believed: answer as if every target were up
    closed,  ///< no data
};

/// How one steered name is answered.
struct Policy {
    std::string owner;        ///< the steered name as text, for example "ocs.example.net"
    std::size_t service = 0;  ///< index into Steering::services
    std::chrono::seconds ttl_min{5};
    std::chrono::seconds ttl_max{30};
    AllDown all_down = AllDown::open;
    std::vector<Filter> filters;
};

/// Everything a configuration says about steering. Immutable once built.
struct Steering {
    std::vector<std::string> sites;  ///< in default order: SiteIndex 0 is preferred
    std::vector<Service> services;
    std::vector<Policy> policies;
};

/// What is wrong with a chain, as a sentence, or nullopt. A chain must begin with `override`, so
/// that an operator's word always counts; a filter may stand in it once; `up` follows directly
/// when present; `weighted` must be last, because its draw is made for each query.
std::optional<std::string> chain_error(std::span<const Filter> filters);

/// All sites in default order.
SiteOrder default_order(const Steering& steering);
/// The order that completes a client's class in this policy: that of its `nearest`, else
/// default_order().
SiteOrder default_order(const Policy& policy, const Steering& steering);
/// The distinct default orders of all policies (never empty): what PrefixMap needs.
std::vector<SiteOrder> default_orders(const Steering& steering);

}  // namespace twinsite::gslb::steering
