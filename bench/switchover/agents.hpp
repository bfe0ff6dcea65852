// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "wire/contract/identity.hpp"

/// Who takes part in the bench. bench/switchover/server.py writes the same names into the
/// server's configuration.
namespace twinsite::bench {

/// Agent number `index`: "h0000" in east, "h0001" in west, and so on. At most 10,000.
wire::contract::Identity agent_identity(std::size_t index);
inline constexpr std::size_t kMostAgents = 10'000;

wire::contract::Identity server_identity();
wire::contract::Identity operator_identity();

}  // namespace twinsite::bench
