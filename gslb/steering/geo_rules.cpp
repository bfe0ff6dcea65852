// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/geo_rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace twinsite::gslb::steering {
namespace {

bool agrees(const std::string& wanted, const std::string& found) {
    return wanted.empty() || wanted == found;
}

bool holds(const GeoRules::Rule& rule, const GeoPlace& place) {
    return agrees(rule.continent, place.continent) && agrees(rule.country, place.country) &&
           agrees(rule.subdivision, place.subdivision) && agrees(rule.city, place.city) &&
           (rule.asn == 0 || rule.asn == place.asn);
}

/// The finest thing that a rule names.
int fineness(const GeoRules::Rule& rule) {
    int out = 0;
    if (!rule.continent.empty()) out += 1;
    if (!rule.country.empty()) out += 2;
    if (!rule.subdivision.empty()) out += 4;
    if (!rule.city.empty()) out += 8;
    if (rule.asn != 0) out += 16;
    return out;
}

double radians(double degrees) {
    return degrees * std::numbers::pi / 180;
}

SiteOrder by_distance(const GeoRules& rules, const Coordinates& from) {
    std::vector<std::pair<double, SiteIndex>> far;
    for (const auto& [site, at, bias] : rules.sites) {
        const double factor = bias >= 0 ? 1 - bias / 100.0 : 1 / (1 + bias / 100.0);
        far.emplace_back(distance_km(from, at) * factor, site);
    }
    std::sort(far.begin(), far.end());
    SiteOrder out;
    for (const auto& [distance, site] : far)
        if (out.size() < rules.nearest) out.push_back(site);
    return out;
}

}  // namespace

double distance_km(const Coordinates& a, const Coordinates& b) {
    constexpr double kEarthRadiusKm = 6371;
    const double half_high = std::sin(radians(b.latitude - a.latitude) / 2);
    const double half_wide = std::sin(radians(b.longitude - a.longitude) / 2);
    const double h = half_high * half_high + std::cos(radians(a.latitude)) *
                                                 std::cos(radians(b.latitude)) * half_wide *
                                                 half_wide;
    return 2 * kEarthRadiusKm * std::asin(std::min(1.0, std::sqrt(h)));
}

SiteOrder GeoRules::sites_of(const GeoPlace& place) const {
    const Rule* best = nullptr;
    for (const Rule& rule : rules)
        if (holds(rule, place) && (best == nullptr || fineness(rule) > fineness(*best)))
            best = &rule;
    if (best != nullptr) return best->sites;
    if (place.coordinates && !sites.empty()) return by_distance(*this, *place.coordinates);
    return {};
}

}  // namespace twinsite::gslb::steering
