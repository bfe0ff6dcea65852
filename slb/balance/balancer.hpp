// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slb/balance/loads.hpp"
#include "slb/balance/random.hpp"

namespace twinsite::slb::balance {

/// Chooses the blade of a new session. One algorithm a file; all are pure: the choice depends on
/// the loads, the balancer's own place in its cycle and the random numbers given.
class Balancer {
public:
    virtual ~Balancer() = default;
    /// Index of an eligible blade, or nullopt when there is none.
    virtual std::optional<std::uint16_t> pick(const std::vector<Load>& loads, Random& random) = 0;
};

/// The registry: an algorithm by its name in the configuration; nullptr for an unknown name.
std::unique_ptr<Balancer> make_balancer(std::string_view name);
/// The names `make_balancer` knows.
std::vector<std::string> balancer_names();

}  // namespace twinsite::slb::balance
