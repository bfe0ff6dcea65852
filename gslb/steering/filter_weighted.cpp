// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

/// Takes out what has no weight, unless nothing has one.
void keep_weighty(Chain& chain) {
    if (!chain.spill.empty()) return;  // the sites' odds hold the shares already
    const auto has_weight = [&chain](std::size_t index) { return chain.weight(index) > 0; };
    const bool any = std::any_of(chain.kept.begin(), chain.kept.end(), has_weight);
    const auto own = [&chain](std::size_t index) { return chain.target(index).weight > 0; };
    if (any) {
        const bool loaded = chain.shares_count &&
                            std::any_of(chain.kept.begin(), chain.kept.end(), [&](std::size_t i) {
                                return own(i) && !has_weight(i);
                            });
        chain.keep_if(
            has_weight,
            loaded ? "overloaded or of weight 0, and others have a weight"
                   : "weight 0, and others have a weight"
        );
        return;
    }
    if (chain.kept.empty()) return;
    if (chain.shares_count && std::any_of(chain.kept.begin(), chain.kept.end(), own)) {
        chain.shares_count = false;
        chain.note("all are overloaded: load does not count");
        return keep_weighty(chain);
    }
    chain.note("only weights of 0 are left: drawn evenly");
}

}  // namespace

void apply_weighted(Chain& chain, const Filter& filter) {
    keep_weighty(chain);
    if (chain.kept.size() < 2) return;
    chain.drawing = filter.multi ? Drawing::multi : Drawing::weighted;
    chain.note(
        filter.multi ? "each is in an answer by itself, with its weight / the heaviest"
                     : "one of them is drawn for each query, by weight"
    );
}

void apply_sticky(Chain& chain, const Filter& filter) {
    keep_weighty(chain);
    if (chain.kept.size() < 2) return;
    chain.drawing = Drawing::sticky;
    if (chain.stage == nullptr) return;
    chain.note(
        "each network (/" + std::to_string(filter.bits_v4) + ", /" +
        std::to_string(filter.bits_v6) + ") keeps its own, by weight; group " +
        (filter.group.empty() ? chain.service.name : filter.group)
    );
}

}  // namespace twinsite::gslb::steering
