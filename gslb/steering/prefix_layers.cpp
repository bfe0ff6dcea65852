// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/prefix_layers.hpp"

#include <map>

namespace twinsite::gslb::steering {

PrefixLayer layer_of(std::span<const PrefixEntry> entries) {
    PrefixLayer out;
    std::map<SiteOrder, std::uint32_t> numbers;
    out.items.reserve(entries.size());
    for (const PrefixEntry& entry : entries) {
        const auto next = static_cast<std::uint32_t>(out.lists.size());
        const auto [known, fresh] = numbers.emplace(entry.sites, next);
        if (fresh) out.lists.push_back(entry.sites);
        out.items.push_back({entry.prefix, known->second});
    }
    return out;
}

}  // namespace twinsite::gslb::steering
