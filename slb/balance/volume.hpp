// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slb/balance/balancer.hpp"

namespace twinsite::slb::balance {

/// Balancing by volume: the blade with the fewest outstanding requests; several with that minimum
/// share it at random, since otherwise the first one, or one fast host, would attract everything.
class Volume final : public Balancer {
public:
    std::optional<std::uint16_t> pick(const std::vector<Load>& loads, Random& random) override;
};

}  // namespace twinsite::slb::balance
