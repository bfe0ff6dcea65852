// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace twinsite::switchover::scenario {

/// What a scenario may name: all that the server's configuration knows.
struct Names {
    struct Host {
        std::string id;    ///< "east/if1"
        std::string kind;  ///< interface | processing | database | other
        bool operator==(const Host&) const = default;
    };
    std::vector<std::string> sites;
    std::vector<Host> hosts;
    std::vector<std::string> members;  ///< gslbs, slbs and site monitors
    std::vector<std::string> services;
    std::vector<std::string> scenarios;  ///< For `failback`; empty: not checked.
};

}  // namespace twinsite::switchover::scenario
