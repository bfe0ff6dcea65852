// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/likely_states.hpp"

#include <algorithm>

namespace twinsite::gslb::answer {
namespace {

using steering::Health;

constexpr std::size_t kMostTurned = 16;

/// Sets the health of all targets that `concerns` (service, target).
template <class Concerns>
ServiceStates with_health(ServiceStates states, Health health, Concerns concerns) {
    for (std::size_t s = 0; s < states.size(); ++s)
        for (std::size_t t = 0; t < states[s].size(); ++t)
            if (concerns(s, t)) states[s][t].health = health;
    return states;
}

}  // namespace

std::vector<ServiceStates> likely_states(
    const steering::Steering& steering, const ServiceStates& now
) {
    std::vector<ServiceStates> out;
    for (std::size_t site = 0; site < steering.sites.size(); ++site)
        for (const Health health : {Health::down, Health::up})
            out.push_back(with_health(now, health, [&](std::size_t s, std::size_t t) {
                return steering.services[s].targets[t].site == site;
            }));
    out.push_back(with_health(now, Health::down, [](std::size_t, std::size_t) { return true; }));
    std::size_t most = 0;
    for (const auto& service : now) most = std::max(most, service.size());
    for (std::size_t turned = 0; turned < std::min(most, kMostTurned); ++turned) {
        auto states = now;
        for (auto& service : states)
            if (turned < service.size())
                service[turned].health =
                    service[turned].health == Health::down ? Health::up : Health::down;
        out.push_back(std::move(states));
    }
    return out;
}

}  // namespace twinsite::gslb::answer
