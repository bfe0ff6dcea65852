// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "slb/control/backend.hpp"

namespace twinsite::slb::control {

/// The bodies of the API's answers.
std::string blades_json(
    const proxy::ShardStatus& status, const BladeChanges& changes, const BladeControl& control
);
std::string status_json(const NodeStatus& node, const proxy::ShardStatus& status);
std::string stats_json(const proxy::ShardStatus& status);

}  // namespace twinsite::slb::control
