// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slb/balance/balancer.hpp"

namespace twinsite::slb::balance {

/// Each eligible blade in turn; one that cannot take its turn passes it to the next.
class RoundRobin final : public Balancer {
public:
    std::optional<std::uint16_t> pick(const std::vector<Load>& loads, Random& random) override;

private:
    std::size_t next_ = 0;
};

}  // namespace twinsite::slb::balance
