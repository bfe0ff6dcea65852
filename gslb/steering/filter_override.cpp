// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_override(Chain& chain) {
    const auto forced = [&chain](std::size_t index) { return chain.states[index].forced; };
    chain.keep_if(
        [&](std::size_t index) { return forced(index) != Forced::down; }, "forced down by override"
    );
    std::vector<std::size_t> steady;
    std::vector<std::size_t> drained;
    for (const std::size_t index : chain.kept)
        (forced(index) == Forced::drain ? drained : steady).push_back(index);
    if (steady.empty()) {
        if (!drained.empty()) chain.note("all that is left drains, so it is used");
        if (chain.kept.empty()) chain.note("every target is forced down: no data");
        return;
    }
    chain.kept.swap(steady);
    chain.drained.swap(drained);
    for (const std::size_t index : chain.drained) chain.dropped(index, "draining by override");
    for (const std::size_t index : chain.kept)
        if (forced(index) == Forced::up) chain.note(chain.target(index).name + " is forced up");
}

}  // namespace twinsite::gslb::steering
