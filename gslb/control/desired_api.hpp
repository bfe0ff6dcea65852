// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/message.hpp"
#include "gslb/control/api.hpp"

namespace twinsite::gslb::control {

/// GET /api/v1/desired: what switchover wants here, how fresh that is, and what is answered.
base::http::Response show_desired(const Helm& helm, const ApiSeams& seams);
/// PUT /api/v1/desired. Over TLS the server is who the certificate says, whatever the body says.
base::http::Response put_desired(
    Helm& helm, const ApiSeams& seams, const base::http::Request& request
);

}  // namespace twinsite::gslb::control
