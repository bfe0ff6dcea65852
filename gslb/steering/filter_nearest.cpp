// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_nearest(Chain& chain, const Filter& filter) {
    const SiteOrder fallback = complete(filter.order, default_order(chain.steering));
    const SiteOrder order = complete(chain.listed, fallback);
    chain.sort_by_site(order);
    if (chain.stage == nullptr) return;
    if (chain.listed.empty())
        chain.note(
            "no network of the table says otherwise: default order " + chain.site_names(order)
        );
    else
        chain.note("order of the client's class: " + chain.site_names(order));
}

}  // namespace twinsite::gslb::steering
