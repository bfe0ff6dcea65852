// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/router.hpp"
#include "slb/control/backend.hpp"
#include "slb/control/gate.hpp"

namespace twinsite::slb::control {

/// /healthz, /readyz and /metrics. `backend` outlives the router's last request.
void add_status_routes(
    base::http::Router& router, Backend& backend, const Gate& gate = open_gate()
);

/// /api/v1/...: what operators and the switchover server ask and change, each behind `gate`. Only
/// for listeners whose users may steer traffic.
void add_control_routes(
    base::http::Router& router, Backend& backend, const Gate& gate = open_gate()
);

}  // namespace twinsite::slb::control
