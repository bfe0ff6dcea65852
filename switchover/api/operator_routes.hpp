// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "switchover/api/context.hpp"

namespace twinsite::base::http {
class Router;
}

namespace twinsite::switchover::api {

/// /api/v1 for people and their tools, on both ports; all but the event stream and the logins.
void add_operator_routes(
    base::http::Router& router, Context& context, const Authenticate& authenticate
);
/// /healthz, /readyz and /leader.
void add_state_routes(
    base::http::Router& router, Context& context, const Authenticate& authenticate
);

}  // namespace twinsite::switchover::api
