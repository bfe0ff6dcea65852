// SPDX-License-Identifier: Apache-2.0
#include "slb/balance/round_robin.hpp"

namespace twinsite::slb::balance {

std::optional<std::uint16_t> RoundRobin::pick(const std::vector<Load>& loads, Random&) {
    for (std::size_t step = 0; step < loads.size(); ++step) {
        const auto blade = (next_ + step) % loads.size();
        if (!loads[blade].eligible) continue;
        next_ = blade + 1;
        return static_cast<std::uint16_t>(blade);
    }
    return std::nullopt;
}

}  // namespace twinsite::slb::balance
