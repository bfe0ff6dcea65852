// SPDX-License-Identifier: Apache-2.0
// The part of gslb.yaml that says who is steered where: networks, services, steered names.
#include <algorithm>
#include <unordered_set>

#include "gslb/config_parts.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

template <class Item>
Names names_of(const std::vector<Item>& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item.name);
    return Names(std::move(out));
}

std::vector<base::text::IpAddress> parse_addresses(Cursor at) {
    constexpr std::size_t kMost = 64;  // more would not fit into an answer of 1232 bytes
    std::vector<base::text::IpAddress> out;
    const auto items = at.items();
    if (at.is_sequence() && (items.empty() || items.size() > kMost))
        at.error("must list between 1 and 64 addresses");
    for (auto item : items) {
        const auto address = item.value<base::text::IpAddress>();
        if (std::find(out.begin(), out.end(), address) != out.end())
            item.error("address " + to_string(address) + " is listed twice");
        out.push_back(address);
    }
    return out;
}

std::vector<std::size_t> parse_check_names(std::optional<Cursor> at, const Names& known) {
    std::vector<std::size_t> out;
    if (!at) return out;
    for (auto& item : at->items()) {
        const auto index = parse_reference(item, "check", known);
        if (!index) continue;
        if (std::find(out.begin(), out.end(), *index) != out.end())
            item.error("check '" + known.list()[*index] + "' is listed twice");
        else
            out.push_back(*index);
    }
    return out;
}

steering::Target parse_target(Cursor& item, std::set<std::string>& taken, const Names& sites) {
    steering::Target target;
    target.name = parse_name_of(item, taken);
    if (const auto site = parse_reference(item.child("site"), "site", sites))
        target.site = static_cast<steering::SiteIndex>(*site);
    target.addresses = parse_addresses(item.child("addresses"));
    target.weight = item.in_range("weight", 0U, 65'535U, target.weight);
    return target;
}

/// A filter is a name, or a map of one name and its parameters.
std::optional<steering::Filter> parse_filter(Cursor& item, const Names& sites) {
    std::string name;
    std::optional<Cursor> parameters;
    if (item.is_map()) {
        auto entries = item.entries();
        if (entries.size() != 1) {
            item.error("must be a filter's name, or a map of one filter and its parameters");
            return std::nullopt;
        }
        name = entries[0].first;
        parameters = entries[0].second;
    } else {
        name = item.value<std::string>();
        if (item.is_sequence()) return std::nullopt;
    }
    const auto kind = steering::parse_filter_kind(name);
    if (!kind) {
        item.unknown("filter", name, steering::filter_names());
        return std::nullopt;
    }
    steering::Filter out{*kind, {}};
    if (!parameters) return out;
    if (*kind == steering::FilterKind::failover) {
        if (auto order = parameters->find("order")) out.order = parse_site_order(*order, sites);
    } else if (*kind == steering::FilterKind::nearest) {
        if (auto order = parameters->find("default")) out.order = parse_site_order(*order, sites);
    } else if (*kind == steering::FilterKind::weighted) {
        parameters->one_of("pick", {"one"}, 0);
    }
    parameters->finish();
    return out;
}

std::vector<steering::Filter> parse_filters(std::optional<Cursor> at, const Names& sites) {
    using enum steering::FilterKind;
    if (!at) return {{override_, {}}, {up, {}}, {nearest, {}}, {failover, {}}};
    std::vector<steering::Filter> out;
    bool all_known = true;
    for (auto& item : at->items()) {
        if (auto filter = parse_filter(item, sites))
            out.push_back(std::move(*filter));
        else
            all_known = false;
    }
    if (!all_known || !at->is_sequence()) return out;
    if (const auto wrong = steering::chain_error(out)) at->error(*wrong);
    return out;
}

seconds parse_ttl(Cursor& at, std::string_view key, seconds fallback) {
    constexpr milliseconds kLongest{7 * 86'400'000};
    const auto ttl = at.in_range(key, milliseconds(0), kLongest, milliseconds(fallback));
    if (ttl % seconds(1) != milliseconds(0))
        at.find(key)->error("must be whole seconds, not " + base::text::format_duration(ttl));
    return std::chrono::duration_cast<seconds>(ttl);
}

void parse_ttls(std::optional<Cursor> at, steering::Policy& policy) {
    if (!at) return;
    policy.ttl_min = parse_ttl(*at, "min", policy.ttl_min);
    policy.ttl_max = parse_ttl(*at, "max", policy.ttl_max);
    if (policy.ttl_min > policy.ttl_max)
        at->error(
            "min (" + base::text::format_duration(policy.ttl_min) + ") must not be above max (" +
            base::text::format_duration(policy.ttl_max) + ")"
        );
    at->finish();
}

void check_owner(
    const Cursor& at,
    const wire::dns::Name& owner,
    const Config& config,
    std::unordered_set<wire::dns::Name>& taken
) {
    if (!taken.insert(owner).second) at.error("name '" + owner.to_string() + "' is given twice");
    const auto holds = [&](const ZoneConfig& zone) { return owner.is_at_or_below(zone.origin); };
    if (std::any_of(config.zones.begin(), config.zones.end(), holds)) return;
    std::vector<std::string> origins;
    for (const auto& zone : config.zones) origins.push_back(zone.origin.to_string());
    at.error(
        "name '" + owner.to_string() + "' lies in none of the zones " +
        base::text::join(origins, ", ")
    );
}

}  // namespace

void parse_networks(Cursor at, Config& out, ConfigPlaces* places) {
    if (auto file = at.find("file")) {
        out.networks_file = resolved(*file, file->value<std::string>());
        if (places) places->networks_file = *file;
    }
    if (auto prefixes = at.find("prefixes")) {
        const Names sites(out.steering.sites);
        std::set<base::text::IpPrefix> taken;
        for (auto item : prefixes->items()) {
            steering::PrefixEntry entry;
            auto prefix = item.child("prefix");
            entry.prefix = prefix.value<base::text::IpPrefix>();
            if (!taken.insert(entry.prefix).second)
                prefix.error("network " + to_string(entry.prefix) + " is given twice");
            auto list = item.child("sites");
            entry.sites = parse_site_order(list, sites);
            if (list.is_sequence() && list.items().empty())
                list.error("must list at least one site");
            item.finish();
            out.prefixes.push_back(std::move(entry));
        }
    }
    at.finish();
}

void parse_services(Cursor at, Config& out) {
    const auto checks = names_of(out.checks);
    const Names sites(out.steering.sites);
    std::set<std::string> taken_services;
    for (auto item : at.items()) {
        steering::Service service;
        service.name = parse_name_of(item, taken_services);
        auto& checks_of_targets = out.target_checks.emplace_back();
        auto targets = item.child("targets");
        std::set<std::string> taken;
        for (auto target : targets.items()) {
            service.targets.push_back(parse_target(target, taken, sites));
            checks_of_targets.push_back(parse_check_names(target.find("checks"), checks));
            target.finish();
        }
        if (targets.is_sequence() && service.targets.empty())
            targets.error("must list at least one target");
        item.finish();
        out.steering.services.push_back(std::move(service));
    }
}

void parse_steered(Cursor at, Config& out, ConfigPlaces* places) {
    const auto services = names_of(out.steering.services);
    const Names sites(out.steering.sites);
    std::unordered_set<wire::dns::Name> taken;
    for (auto item : at.items()) {
        steering::Policy policy;
        auto name = item.child("name");
        const auto owner = parse_dns_name(name);
        if (name.exists()) check_owner(name, owner, out, taken);
        policy.owner = owner.to_string();
        if (const auto service = parse_reference(item.child("service"), "service", services))
            policy.service = *service;
        parse_ttls(item.find("ttl"), policy);
        policy.all_down = item.one_of("all_down", {"open", "closed"}, 0) == 1
                              ? steering::AllDown::closed
                              : steering::AllDown::open;
        policy.filters = parse_filters(item.find("filters"), sites);
        item.finish();
        out.steered_names.push_back(owner);
        out.steering.policies.push_back(std::move(policy));
        if (places) places->steered.push_back(name);
    }
}

}  // namespace twinsite::gslb::config_parts
