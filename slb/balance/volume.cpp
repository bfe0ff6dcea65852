// SPDX-License-Identifier: Apache-2.0
#include "slb/balance/volume.hpp"

#include <limits>

namespace twinsite::slb::balance {

std::optional<std::uint16_t> Volume::pick(const std::vector<Load>& loads, Random& random) {
    auto least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t ties = 0;
    for (const auto& load : loads) {
        if (!load.eligible || load.outstanding > least) continue;
        ties = load.outstanding == least ? ties + 1 : 1;
        least = load.outstanding;
    }
    if (ties == 0) return std::nullopt;
    auto skip = ties == 1 ? 0 : random.below(ties);
    for (std::uint16_t i = 0; i < loads.size(); ++i)
        if (loads[i].eligible && loads[i].outstanding == least && skip-- == 0) return i;
    return std::nullopt;
}

}  // namespace twinsite::slb::balance
