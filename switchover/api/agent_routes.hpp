// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twinsite::base::http {
class Router;
}

namespace twinsite::switchover::api {

struct Context;

/// /agent/v1: reports, batches, commands and results, by certificates of agents and monitors.
void add_agent_routes(base::http::Router& router, Context& context);

}  // namespace twinsite::switchover::api
