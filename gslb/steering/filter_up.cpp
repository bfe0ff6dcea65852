// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

/// Health as this decision sees it: an operator's "up" stands above the probes.
Health health_of(const Chain& chain, std::size_t index) {
    const TargetState& state = chain.states[index];
    return word_of(state) == Forced::up ? Health::up : state.health;
}

std::vector<std::size_t> with_health(
    const Chain& chain, const std::vector<std::size_t>& from, Health health
) {
    std::vector<std::size_t> out;
    for (const std::size_t index : from)
        if (health_of(chain, index) == health) out.push_back(index);
    return out;
}

void drop_others(Chain& chain, const std::vector<std::size_t>& stay) {
    for (const std::size_t index : chain.kept) {
        if (std::find(stay.begin(), stay.end(), index) != stay.end()) continue;
        const bool down = health_of(chain, index) == Health::down;
        chain.dropped(index, down ? "health is down" : "not probed yet, and others are up");
    }
}

}  // namespace

void apply_up(Chain& chain) {
    struct Choice {
        const std::vector<std::size_t>& from;
        Health health;
        const char* note;
    };
    const Choice choices[] = {
        {chain.kept, Health::up, ""},
        {chain.kept, Health::unknown, "none is known to be up: those not probed yet are used"},
        {chain.drained, Health::up, "nothing else is up: draining targets are used"},
        {chain.drained, Health::unknown, "nothing else is left: draining targets are used"},
    };
    for (const Choice& choice : choices) {
        std::vector<std::size_t> stay = with_health(chain, choice.from, choice.health);
        if (stay.empty()) continue;
        if (*choice.note != '\0') chain.note(choice.note);
        drop_others(chain, stay);
        chain.kept = std::move(stay);
        return;
    }
    if (chain.kept.empty()) return;
    if (chain.policy.all_down == AllDown::open) {
        chain.note("all are down, all_down is open: answered as if all were up");
        return;
    }
    chain.note("all are down, all_down is closed: no data");
    drop_others(chain, {});
    chain.kept.clear();
}

}  // namespace twinsite::gslb::steering
