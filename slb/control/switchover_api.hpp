// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/router.hpp"
#include "slb/control/backend.hpp"
#include "slb/control/gate.hpp"

namespace twinsite::slb::control {

/// /api/v1/desired and /api/v1/release: what switchover asks and orders. `backend` outlives the
/// router's last request.
void add_switchover_routes(base::http::Router& router, Backend& backend, const Gate& gate);

}  // namespace twinsite::slb::control
