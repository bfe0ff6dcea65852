// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

const char* reason_for(const TargetState& state) {
    const bool drains = word_of(state) == Forced::drain;
    if (state.forced != Forced::none)
        return drains ? "draining by override" : "forced down by override";
    return drains ? "draining by control" : "out by control";
}

}  // namespace

void apply_override(Chain& chain) {
    std::vector<std::size_t> steady;
    std::vector<std::size_t> drained;
    for (const std::size_t index : chain.kept) {
        const Forced word = word_of(chain.states[index]);
        if (word == Forced::down)
            chain.dropped(index, reason_for(chain.states[index]));
        else
            (word == Forced::drain ? drained : steady).push_back(index);
    }
    if (steady.empty()) {
        chain.kept.swap(drained);
        if (!chain.kept.empty()) chain.note("all that is left drains, so it is used");
        if (chain.kept.empty()) chain.note("every target is forced down: no data");
        return;
    }
    chain.kept.swap(steady);
    chain.drained.swap(drained);
    for (const std::size_t index : chain.drained)
        chain.dropped(index, reason_for(chain.states[index]));
    for (const std::size_t index : chain.kept)
        if (word_of(chain.states[index]) == Forced::up)
            chain.note(chain.target(index).name + " is forced up");
}

}  // namespace twinsite::gslb::steering
