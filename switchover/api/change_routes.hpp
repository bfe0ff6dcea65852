// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "switchover/api/context.hpp"

namespace twinsite::base::http {
class Router;
}

namespace twinsite::switchover::api {

/// What changes something: modes, the pause, runs. Viewers are refused; each request is a line of
/// the audit, whatever came of it.
void add_change_routes(
    base::http::Router& router, Context& context, const Authenticate& authenticate
);

}  // namespace twinsite::switchover::api
