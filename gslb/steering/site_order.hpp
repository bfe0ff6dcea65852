// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace twinsite::gslb::steering {

/// Index into the configured list of sites.
using SiteIndex = std::uint16_t;
/// Sites in order of preference, best first, each at most once.
using SiteOrder = std::vector<SiteIndex>;

/// `listed`, then the members of `fallback` that are not listed, in their order. What a client
/// class that names only its best sites prefers after them.
SiteOrder complete(std::span<const SiteIndex> listed, std::span<const SiteIndex> fallback);

}  // namespace twinsite::gslb::steering
