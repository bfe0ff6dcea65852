// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

struct Coordinates {
    double latitude = 0;   ///< degrees, -90..90
    double longitude = 0;  ///< degrees, -180..180
    bool operator==(const Coordinates&) const = default;
};

/// Great-circle distance in km, on a sphere.
double distance_km(const Coordinates& a, const Coordinates& b);

/// What a database says about a network. Any of it may be missing.
struct GeoPlace {
    std::string continent;    ///< "EU"
    std::string country;      ///< ISO 3166-1, "DE"
    std::string subdivision;  ///< ISO 3166-2 without the country, "BY"
    std::string city;         ///< English name
    std::uint32_t asn = 0;
    std::optional<Coordinates> coordinates;
};

/// Which places prefer which sites.
struct GeoRules {
    /// A rule holds where everything that it names is so.
    struct Rule {
        std::string continent;
        std::string country;
        std::string subdivision;
        std::string city;
        std::uint32_t asn = 0;
        SiteOrder sites;
    };
    struct Site {
        SiteIndex site = 0;
        Coordinates at;
        int bias = 0;  ///< -99..99: a site with 50 seems half as far away, with -50 twice
    };
    std::vector<Rule> rules;
    std::vector<Site> sites;  ///< for places that no rule names; empty: those have no class
    std::size_t nearest = 3;  ///< so many sites are listed by distance; the rest in default order

    /// The rule that names most decides (a city more than a country, a network's owner most); of
    /// two alike the earlier. Then distance. Empty: unmatched.
    SiteOrder sites_of(const GeoPlace& place) const;
};

}  // namespace twinsite::gslb::steering
