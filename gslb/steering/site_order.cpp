// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/site_order.hpp"

#include <algorithm>

namespace twinsite::gslb::steering {

SiteOrder complete(std::span<const SiteIndex> listed, std::span<const SiteIndex> fallback) {
    SiteOrder out;
    const auto append = [&out](std::span<const SiteIndex> sites) {
        for (const SiteIndex site : sites)
            if (std::find(out.begin(), out.end(), site) == out.end()) out.push_back(site);
    };
    append(listed);
    append(fallback);
    return out;
}

}  // namespace twinsite::gslb::steering
