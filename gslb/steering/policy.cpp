// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/policy.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "gslb/steering/records_of.hpp"

namespace twinsite::gslb::steering {

namespace {

constexpr std::array<std::pair<FilterKind, const char*>, 11> kNames{{
    {FilterKind::override_, "override"},
    {FilterKind::depends, "depends"},
    {FilterKind::up, "up"},
    {FilterKind::nearest, "nearest"},
    {FilterKind::load, "load"},
    {FilterKind::weighted, "weighted"},
    {FilterKind::failover, "failover"},
    {FilterKind::sticky, "sticky"},
    {FilterKind::rotate, "rotate"},
    {FilterKind::all, "all"},
    {FilterKind::first, "first"},
}};

/// Where `kind` stands in the chain; its size when it does not.
std::size_t position(std::span<const Filter> filters, FilterKind kind) {
    const auto found = std::find_if(filters.begin(), filters.end(), [kind](const Filter& filter) {
        return filter.kind == kind;
    });
    return static_cast<std::size_t>(found - filters.begin());
}

bool has(std::span<const Filter> filters, FilterKind kind) {
    return position(filters, kind) != filters.size();
}

/// `override`, then perhaps `depends`, then perhaps `up`.
std::optional<std::string> head_error(std::span<const Filter> filters) {
    std::size_t next = 1;
    if (has(filters, FilterKind::depends)) {
        if (position(filters, FilterKind::depends) != next)
            return "'depends' must follow directly after 'override'";
        if (!has(filters, FilterKind::up)) return "'depends' needs 'up' behind it";
        ++next;
    }
    if (has(filters, FilterKind::up) && position(filters, FilterKind::up) != next)
        return next == 1 ? "'up' must follow directly after 'override'"
                         : "'up' must follow directly after 'depends'";
    return std::nullopt;
}

/// One filter says how the rest is answered, and stands last; `first` may cut the turns of
/// `rotate`.
std::optional<std::string> end_error(std::span<const Filter> filters) {
    const FilterKind ends[] = {
        FilterKind::weighted, FilterKind::sticky, FilterKind::rotate, FilterKind::all
    };
    std::string seen;
    for (const FilterKind kind : ends) {
        const std::size_t at = position(filters, kind);
        if (at == filters.size()) continue;
        const std::string name = to_string(kind);
        if (!seen.empty()) return "'" + seen + "' and '" + name + "' exclude each other";
        seen = name;
        if (at + 1 == filters.size()) continue;
        const bool cut = kind == FilterKind::rotate && at + 2 == filters.size() &&
                         filters[at + 1].kind == FilterKind::first;
        if (!cut) return "'" + name + "' must be last: it says how the rest is answered";
    }
    return std::nullopt;
}

std::optional<std::string> load_error(std::span<const Filter> filters) {
    if (!has(filters, FilterKind::load)) return std::nullopt;
    const std::size_t load = position(filters, FilterKind::load);
    bool used = false;
    for (const FilterKind kind : {FilterKind::failover, FilterKind::weighted, FilterKind::sticky}) {
        if (!has(filters, kind)) continue;
        used = true;
        if (position(filters, kind) < load)
            return "'load' must stand before '" + std::string(to_string(kind)) + "'";
    }
    if (!used) return "'load' needs 'failover', 'weighted' or 'sticky' behind it";
    return std::nullopt;
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
    if (filters.empty() || filters.front().kind != FilterKind::override_)
        return "the chain must begin with 'override', so that an operator's word always counts";
    if (const auto wrong = head_error(filters)) return wrong;
    if (const auto wrong = end_error(filters)) return wrong;
    if (position(filters, FilterKind::failover) < position(filters, FilterKind::nearest) &&
        has(filters, FilterKind::nearest))
        return "'nearest' must stand before 'failover', which keeps only the first site";
    return load_error(filters);
}

std::vector<std::uint16_t> steered_types(const Policy& policy, const Steering& steering) {
    using namespace wire::dns::type;
    if (!policy.types.empty()) return policy.types;
    std::vector<std::uint16_t> out;
    for (const Target& target : steering.services[policy.service].targets) {
        if (is_cname(target)) return {cname};
        if (!target.addresses.empty()) out.insert(out.end(), {a, aaaa});
        for (const TypedRecord& record : target.records) out.push_back(record.type);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
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
