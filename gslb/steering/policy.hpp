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
#include "gslb/steering/record_types.hpp"
#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

/// One place where a service runs: the thing that is up or down.
struct Target {
    std::string name;  ///< unique in its service
    SiteIndex site = 0;
    std::vector<base::text::IpAddress> addresses;  ///< either family, in answer order
    std::uint32_t weight = 1;                      ///< 0..65535; 0 = only when nothing else is left
    std::vector<TypedRecord> records{};            ///< of other types than A and AAAA
    /// What the checks of the target ask in place of `addresses`; empty: `addresses`.
    std::vector<base::text::IpAddress> check_addresses{};
};

/// How load reports of a service's targets become shares (load_share.hpp).
struct LoadLimits {
    std::uint32_t low_percent = 70;     ///< up to here a target keeps its whole share
    std::uint32_t high_percent = 95;    ///< from here on it gets nothing
    std::uint32_t step_permille = 100;  ///< a share moves no further in one period
    std::chrono::seconds period{10};    ///< reports are expected this often
    bool operator==(const LoadLimits&) const = default;
};

struct Service {
    std::string name;
    std::vector<Target> targets;
    LoadLimits load{};
};

// A bare `override` would read as the keyword. NOLINTNEXTLINE(readability-identifier-naming)
enum class FilterKind : std::uint8_t {
    override_,
    depends,
    up,
    nearest,
    load,
    weighted,
    failover,
    sticky,
    rotate,
    all,
    first,
};

/// When a site that was lost and is back gets its clients again (filter `failover`).
enum class FailBack : std::uint8_t {
    automatic,  ///< at once
    delayed,    ///< after it was up for a time
    manual,     ///< when an operator says so
};

/// One thing that `depends` asks for.
struct Dependency {
    std::string fact;               ///< name of a fact; empty: `service` is asked
    std::optional<double> least{};  ///< of the fact
    std::optional<double> most{};   ///< of the fact
    std::size_t service = 0;        ///< must have a target that is not down at the same site
    bool operator==(const Dependency&) const = default;
};

/// One stage of a chain. Each kind uses the members that name it.
struct Filter {
    FilterKind kind = FilterKind::up;
    /// failover: the order of sites to use in place of the order so far; empty = keep that order.
    /// nearest: the default order for clients without a class and after the listed sites; empty =
    /// the policy's. Unused by the others.
    SiteOrder order{};
    std::uint32_t count = 1;  ///< first: how many targets stay
    bool multi = false;       ///< weighted: each target by itself, with weight / heaviest
    FailBack fail_back = FailBack::automatic;  ///< failover
    std::chrono::seconds delay{0};             ///< failover: of FailBack::delayed
    std::string group{};                     ///< sticky: names with one group keep clients together
    std::uint8_t bits_v4 = 24;               ///< sticky: clients of one such network are one
    std::uint8_t bits_v6 = 56;               ///< sticky: the same for IPv6
    std::vector<Dependency> dependencies{};  ///< depends
    bool operator==(const Filter&) const = default;
};

/// The names as they stand in a configuration: "override", "up", ...
std::optional<FilterKind> parse_filter_kind(std::string_view name);
const char* to_string(FilterKind kind) noexcept;
/// All names, for "unknown filter, did you mean".
std::vector<std::string> filter_names();

/// What to answer when health leaves no target.
enum class AllDown : std::uint8_t {
    open,         ///< health is not believed: answer as if every target were up
    closed,       ///< no data
    last_resort,  ///< Policy::last_resort
    last_known,   ///< those that were up before the last one went down; without any as `open`
};

/// How one steered name is answered.
struct Policy {
    std::string owner;        ///< the steered name as text, for example "ocs.example.net"
    std::size_t service = 0;  ///< index into Steering::services
    std::chrono::seconds ttl_min{5};
    std::chrono::seconds ttl_max{30};
    AllDown all_down = AllDown::open;
    std::vector<Filter> filters;
    /// What AllDown::last_resort answers: addresses, or one CNAME for every type.
    Target last_resort{};
    /// False: the resolver's address decides, whatever client subnet it sends.
    bool use_client_subnet = true;
    /// The types that the name answers by steering; empty: those its targets have (steered_types).
    std::vector<std::uint16_t> types{};
    std::string alias_of{};  ///< the steered name that this one follows; for people
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

/// The types that a policy answers: A and AAAA when a target has addresses, and every type of its
/// targets' records. Sorted. With a CNAME it is the only one.
std::vector<std::uint16_t> steered_types(const Policy& policy, const Steering& steering);

/// All sites in default order.
SiteOrder default_order(const Steering& steering);
/// The order that completes a client's class in this policy: that of its `nearest`, else
/// default_order().
SiteOrder default_order(const Policy& policy, const Steering& steering);
/// The distinct default orders of all policies (never empty): what PrefixMap needs.
std::vector<SiteOrder> default_orders(const Steering& steering);

}  // namespace twinsite::gslb::steering
