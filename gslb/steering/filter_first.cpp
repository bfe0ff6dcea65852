// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_first(Chain& chain, const Filter& filter) {
    if (chain.drawing == Drawing::rotate) {
        // Another set for each turn: the cut is made when the turns are composed.
        if (chain.kept.size() > filter.count) chain.take = filter.count;
        chain.note("the first " + std::to_string(filter.count) + " of each turn");
        return;
    }
    // Where overload goes to other sites, each site's answer is cut by itself.
    std::map<SiteIndex, std::uint32_t> seen;
    chain.keep_if(
        [&](std::size_t index) {
            const SiteIndex at = chain.spill.empty() ? SiteIndex{0} : chain.target(index).site;
            return ++seen[at] <= filter.count;
        },
        "only the first " + std::to_string(filter.count) + " are answered"
    );
}

}  // namespace twinsite::gslb::steering
