// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

#include <algorithm>

namespace twinsite::gslb::steering {

void Chain::note(const std::string& text) {
    if (stage == nullptr) return;
    if (!stage->note.empty()) stage->note += "; ";
    stage->note += text;
}

void Chain::dropped(std::size_t index, const std::string& reason) {
    if (stage != nullptr) stage->dropped.push_back({target(index).name, reason});
}

void Chain::sort_by_site(const SiteOrder& order) {
    const auto place = [&](std::size_t index) {
        return std::find(order.begin(), order.end(), target(index).site) - order.begin();
    };
    std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
        return place(a) < place(b);
    });
}

std::string Chain::site_names(std::span<const SiteIndex> sites) const {
    std::string out;
    for (const SiteIndex site : sites) {
        if (!out.empty()) out += ", ";
        out += steering.sites[site];
    }
    return out;
}

}  // namespace twinsite::gslb::steering
