// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_weighted(Chain& chain) {
    const auto has_weight = [&chain](std::size_t index) { return chain.target(index).weight > 0; };
    if (std::any_of(chain.kept.begin(), chain.kept.end(), has_weight))
        chain.keep_if(has_weight, "weight 0, and others have a weight");
    else if (!chain.kept.empty())
        chain.note("only weights of 0 are left: drawn evenly");
    chain.draw_one = chain.kept.size() > 1;
    if (chain.draw_one) chain.note("one of them is drawn for each query, by weight");
}

}  // namespace twinsite::gslb::steering
