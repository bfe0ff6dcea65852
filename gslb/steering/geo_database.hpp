// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gslb/steering/geo_rules.hpp"
#include "gslb/steering/prefix_layers.hpp"

namespace twinsite::gslb::steering {

struct LoadedGeo {
    PrefixLayer layer;    ///< blocks side by side, each as wide as it can be
    std::string problem;  ///< a sentence; empty: the layer is good
};

/// Walks a MaxMind database once and makes of every network the sites that `rules` give it.
/// Neighbours with one list are one block. Fields that a record lacks count as empty. Parts of the
/// IPv6 tree that lead to the IPv4 tree (mapped addresses, 6to4, Teredo) are left out: a mapped
/// client is looked up as IPv4. A damaged file gives a problem. Time grows with the size of the
/// tree, memory with the number of blocks.
LoadedGeo load_geo(const std::string& file, const GeoRules& rules);

}  // namespace twinsite::gslb::steering
