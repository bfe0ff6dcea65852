// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/policy.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace twinsite::gslb::steering {

namespace {

constexpr std::array<std::pair<FilterKind, const char*>, 5> kNames{{
    {FilterKind::override_, "override"},
    {FilterKind::up, "up"},
    {FilterKind::nearest, "nearest"},
    {FilterKind::failover, "failover"},
    {FilterKind::weighted, "weighted"},
}};

/// Where `kind` stands in the chain; its size when it does not.
std::size_t position(std::span<const Filter> filters, FilterKind kind) {
    const auto found = std::find_if(filters.begin(), filters.end(), [kind](const Filter& filter) {
        return filter.kind == kind;
    });
    return static_cast<std::size_t>(found - filters.begin());
}

}  // namespace

std::optional<FilterKind> parse_filter_kind(std::string_view name) {
    for (const auto& [kind, known] : kNames)
        if (name == known) return kind;
    return std::nullopt;
}

const char* to_string(FilterKind kind) noexcept {
    return kNames[static_cast<std::size_t>(kind)].second;
}

std::vector<std::string> filter_names() {
    std::vector<std::string> out;
    out.reserve(kNames.size());
    for (const auto& [kind, name] : kNames) out.emplace_back(name);
    return out;
}

std::optional<std::string> chain_error(std::span<const Filter> filters) {
    for (const auto& [kind, name] : kNames) {
        const auto count = std::count_if(filters.begin(), filters.end(), [&](const Filter& filter) {
            return filter.kind == kind;
        });
        if (count > 1) return "'" + std::string(name) + "' stands in the chain twice";
    }
    const std::size_t none = filters.size();
    if (none == 0 || position(filters, FilterKind::override_) != 0)
        return "the chain must begin with 'override', so that an operator's word always counts";
    const std::size_t up = position(filters, FilterKind::up);
    if (up != none && up != 1) return "'up' must follow directly after 'override'";
    const std::size_t weighted = position(filters, FilterKind::weighted);
    if (weighted != none && weighted + 1 != none)
        return "'weighted' must be last: its draw is made anew for each query";
    const std::size_t nearest = position(filters, FilterKind::nearest);
    if (nearest != none && position(filters, FilterKind::failover) < nearest)
        return "'nearest' must stand before 'failover', which keeps only the first site";
    return std::nullopt;
}

SiteOrder default_order(const Steering& steering) {
    SiteOrder out(steering.sites.size());
    std::iota(out.begin(), out.end(), SiteIndex{0});
    return out;
}

SiteOrder default_order(const Policy& policy, const Steering& steering) {
    SiteOrder fallback = default_order(steering);
    const std::size_t nearest = position(policy.filters, FilterKind::nearest);
    if (nearest == policy.filters.size()) return fallback;
    return complete(policy.filters[nearest].order, fallback);
}

std::vector<SiteOrder> default_orders(const Steering& steering) {
    std::vector<SiteOrder> out;
    for (const Policy& policy : steering.policies) {
        // A chain that does not look at the class has no say in which classes are equal.
        if (position(policy.filters, FilterKind::nearest) == policy.filters.size()) continue;
        SiteOrder order = default_order(policy, steering);
        if (std::find(out.begin(), out.end(), order) == out.end()) out.push_back(std::move(order));
    }
    if (out.empty()) out.push_back(default_order(steering));
    return out;
}

}  // namespace twinsite::gslb::steering
