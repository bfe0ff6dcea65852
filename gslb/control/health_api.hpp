// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/message.hpp"
#include "gslb/control/api.hpp"
#include "gslb/health/observatory.hpp"

/// Health over the API: what is known and who says so, votes of others, states from outside.
namespace twinsite::gslb::control {

/// GET /api/v1/health
base::http::Response show_health(const Helm& helm, const health::Observatory& health);
/// GET /api/v1/votes: our own, in the form that PUT takes.
base::http::Response show_votes(const health::Observatory& health);
/// PUT /api/v1/votes. Nothing is taken from a list with something wrong in it.
base::http::Response put_votes(
    health::Observatory& health, const ApiSeams& seams, const base::http::Request& request
);
/// PUT /api/v1/checks: states for checks of type push; all of them or none.
base::http::Response put_checks(
    const Helm& helm,
    health::Observatory& health,
    const ApiSeams& seams,
    const base::http::Request& request
);

}  // namespace twinsite::gslb::control
