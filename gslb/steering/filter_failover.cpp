// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_failover(Chain& chain, const Filter& filter) {
    if (!filter.order.empty()) {
        chain.sort_by_site(complete(filter.order, default_order(chain.steering)));
        if (chain.stage != nullptr) chain.note("order " + chain.site_names(filter.order));
    }
    if (chain.kept.empty()) return;
    const SiteIndex best = chain.target(chain.kept.front()).site;
    chain.keep_if(
        [&](std::size_t index) { return chain.target(index).site == best; },
        "site " + chain.steering.sites[best] + " comes first"
    );
}

}  // namespace twinsite::gslb::steering
