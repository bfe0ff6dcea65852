// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/message.hpp"
#include "gslb/control/api.hpp"

namespace twinsite::gslb::control {

/// The exposition for /metrics; docs/operator/metrics.md explains each family.
base::http::Response write_metrics(const Helm& helm, const ApiSeams& seams);

}  // namespace twinsite::gslb::control
