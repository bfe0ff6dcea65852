// SPDX-License-Identifier: Apache-2.0
// The part of gslb.yaml that says which clients are near which sites.
#include <algorithm>

#include "gslb/config_parts.hpp"

namespace twinsite::gslb::config_parts {

using base::config::Cursor;

namespace {

std::vector<steering::PrefixEntry> parse_prefixes(std::optional<Cursor> at, const Names& sites) {
    std::vector<steering::PrefixEntry> out;
    if (!at) return out;
    std::set<base::text::IpPrefix> taken;
    for (auto item : at->items()) {
        steering::PrefixEntry entry;
        auto prefix = item.child("prefix");
        entry.prefix = prefix.value<base::text::IpPrefix>();
        if (!taken.insert(entry.prefix).second)
            prefix.error("network " + to_string(entry.prefix) + " is given twice");
        auto list = item.child("sites");
        entry.sites = parse_site_order(list, sites);
        if (list.is_sequence() && list.items().empty()) list.error("must list at least one site");
        item.finish();
        out.push_back(std::move(entry));
    }
    return out;
}

std::vector<steering::GeoRules::Rule> parse_rules(std::optional<Cursor> at, const Names& sites) {
    std::vector<steering::GeoRules::Rule> out;
    if (!at) return out;
    for (auto item : at->items()) {
        steering::GeoRules::Rule rule;
        rule.continent = item.optional("continent", std::string());
        rule.country = item.optional("country", std::string());
        rule.subdivision = item.optional("subdivision", std::string());
        rule.city = item.optional("city", std::string());
        rule.asn = item.in_range("asn", 1U, 0xffffffffU, 0U);
        auto list = item.child("sites");
        rule.sites = parse_site_order(list, sites);
        if (list.is_sequence() && list.items().empty()) list.error("must list at least one site");
        if (rule.continent.empty() && rule.country.empty() && rule.subdivision.empty() &&
            rule.city.empty() && rule.asn == 0)
            item.error("must name a continent, country, subdivision, city or asn");
        item.finish();
        out.push_back(std::move(rule));
    }
    return out;
}

std::vector<steering::GeoRules::Site> parse_coordinates(
    std::optional<Cursor> at, const Names& sites
) {
    std::vector<steering::GeoRules::Site> out;
    if (!at) return out;
    for (auto item : at->items()) {
        steering::GeoRules::Site site;
        auto name = item.child("site");
        if (const auto known = parse_reference(name, "site", sites))
            site.site = static_cast<steering::SiteIndex>(*known);
        const auto same = [&](const auto& other) { return other.site == site.site; };
        if (std::any_of(out.begin(), out.end(), same)) name.error("the site is given twice");
        item.child("latitude");
        item.child("longitude");
        site.at.latitude = item.in_range("latitude", -90.0, 90.0, 0.0);
        site.at.longitude = item.in_range("longitude", -180.0, 180.0, 0.0);
        site.bias = item.in_range("bias", -99, 99, 0);
        item.finish();
        out.push_back(site);
    }
    return out;
}

void parse_geo(Cursor at, Config& out, ConfigPlaces* places) {
    const Names sites(out.steering.sites);
    if (auto file = at.find("database")) {
        out.geo.database = resolved(*file, file->value<std::string>());
        if (places) places->geo_database = *file;
    }
    if (auto file = at.find("owners")) {
        out.geo.owners = resolved(*file, file->value<std::string>());
        if (places) places->geo_owners = *file;
    }
    if (out.geo.database.empty() && out.geo.owners.empty())
        at.error("must have 'database', 'owners' or both");
    out.geo.rules.rules = parse_rules(at.find("rules"), sites);
    out.geo.rules.sites = parse_coordinates(at.find("coordinates"), sites);
    out.geo.rules.nearest = at.in_range("nearest", 1U, 1000U, 3U);
    if (out.geo.rules.rules.empty() && out.geo.rules.sites.empty())
        at.error("must have 'rules', 'coordinates' or both");
    at.finish();
}

}  // namespace

void parse_networks(Cursor at, Config& out, ConfigPlaces* places) {
    const Names sites(out.steering.sites);
    if (auto file = at.find("file")) {
        out.networks_file = resolved(*file, file->value<std::string>());
        if (places) places->networks_file = *file;
    }
    out.prefixes = parse_prefixes(at.find("prefixes"), sites);
    out.resolvers = parse_prefixes(at.find("resolvers"), sites);
    if (auto geo = at.find("geo")) parse_geo(*geo, out, places);
    at.finish();
}

}  // namespace twinsite::gslb::config_parts
