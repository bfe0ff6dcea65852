// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

/// One line of a prefix table: clients of `prefix` prefer `sites`, best first.
struct PrefixEntry {
    base::text::IpPrefix prefix;
    SiteOrder sites;
};

/// Prefixes of one origin. Lists of sites are shared, since a database has millions of prefixes
/// and few lists.
struct PrefixLayer {
    struct Item {
        base::text::IpPrefix prefix;
        std::uint32_t list = 0;  ///< index into lists
    };
    std::vector<SiteOrder> lists;
    std::vector<Item> items;  ///< in any order; of two with one prefix the later wins

    bool empty() const { return items.empty(); }
};

PrefixLayer layer_of(std::span<const PrefixEntry> entries);

/// All that says which clients prefer which sites. A prefix of a stronger layer hides everything
/// of the weaker ones inside it, longer prefixes too: what an operator wrote stands above what was
/// measured, and that above what a database says.
struct PrefixLayers {
    PrefixLayer geo;        ///< weakest: a database of places
    PrefixLayer owners;     ///< a database of the networks' owners (AS numbers)
    PrefixLayer measured;   ///< by delay
    PrefixLayer networks;   ///< strongest for clients: the configuration
    PrefixLayer resolvers;  ///< stands above all, but only for the sources of queries
};

}  // namespace twinsite::gslb::steering
