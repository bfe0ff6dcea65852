// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "slb/control/backend.hpp"

namespace twinsite::slb::control {

/// One scrape in OpenMetrics text; docs/operator/metrics.md explains each family.
std::string metrics_text(
    const NodeStatus& node, const proxy::ShardStatus& status, Backend& backend
);

}  // namespace twinsite::slb::control
