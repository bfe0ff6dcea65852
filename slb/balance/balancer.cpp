// SPDX-License-Identifier: Apache-2.0
#include "slb/balance/balancer.hpp"

#include "slb/balance/round_robin.hpp"
#include "slb/balance/volume.hpp"

namespace twinsite::slb::balance {

std::unique_ptr<Balancer> make_balancer(std::string_view name) {
    if (name == "volume") return std::make_unique<Volume>();
    if (name == "round_robin") return std::make_unique<RoundRobin>();
    return nullptr;
}

std::vector<std::string> balancer_names() {
    return {"volume", "round_robin"};
}

}  // namespace twinsite::slb::balance
