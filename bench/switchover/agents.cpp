// SPDX-License-Identifier: Apache-2.0
#include "bench/switchover/agents.hpp"

#include <string>

namespace twinsite::bench {

wire::contract::Identity agent_identity(std::size_t index) {
    auto digits = std::to_string(index);
    digits.insert(0, 4 - digits.size(), '0');
    return {index % 2 == 0 ? "east" : "west", "agent", "h" + digits};
}

wire::contract::Identity server_identity() {
    return {"arbiter", "switchover", "sw-bench"};
}

wire::contract::Identity operator_identity() {
    return {"arbiter", "operator", "bench"};
}

}  // namespace twinsite::bench
