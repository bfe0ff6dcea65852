// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_load(Chain& chain) {
    chain.shares_count = true;
    if (chain.stage == nullptr) return;
    bool any = false;
    for (const std::size_t index : chain.kept) {
        const unsigned share = chain.states[index].share_permille;
        if (share >= 1000) continue;
        any = true;
        chain.note(
            chain.target(index).name + " gets " + std::to_string(share / 10) + "." +
            std::to_string(share % 10) + " % of its share"
        );
    }
    if (!any) chain.note("no target reports too much load");
}

}  // namespace twinsite::gslb::steering
