// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twinsite::monitor::agent {
class Agent;
}
namespace twinsite::monitor::site {
class Site;
}

/// What the local socket tells: /api/v1/status as JSON and /metrics as OpenMetrics.
namespace twinsite::monitor {

std::string status_of(const agent::Agent& agent);
std::string status_of(const site::Site& site);
std::string metrics_of(const agent::Agent& agent);
std::string metrics_of(const site::Site& site);

}  // namespace twinsite::monitor
