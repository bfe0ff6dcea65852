// SPDX-License-Identifier: Apache-2.0
#include "slb/balance/rendezvous.hpp"

#include <algorithm>

namespace twinsite::slb::balance {

namespace {

// Two multiplications with shifts between: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93ULL;
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93ULL;
    return value ^ (value >> 32);
}

}  // namespace

std::optional<std::uint16_t> rendezvous(
    std::uint64_t tag, const std::vector<std::uint64_t>& seeds, const std::vector<Load>& loads
) {
    std::optional<std::uint16_t> best;
    std::uint64_t highest = 0;
    const auto count = std::min(seeds.size(), loads.size());
    for (std::uint16_t i = 0; i < count; ++i) {
        if (!loads[i].eligible) continue;
        const auto weight = mix(tag ^ seeds[i]);
        if (best && weight <= highest) continue;
        best = i;
        highest = weight;
    }
    return best;
}

}  // namespace twinsite::slb::balance
