// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/router.hpp"
#include "slb/control/backend.hpp"

namespace twinsite::slb::control {

/// /healthz, /readyz and /metrics. `backend` outlives the router's last request.
void add_status_routes(base::http::Router& router, Backend& backend);

/// /api/v1/...: what operators and the switchover server ask and change. Only for listeners whose
/// users may steer traffic.
void add_control_routes(base::http::Router& router, Backend& backend);

}  // namespace twinsite::slb::control
