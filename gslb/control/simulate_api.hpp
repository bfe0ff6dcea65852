// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/message.hpp"
#include "gslb/control/helm.hpp"

namespace twinsite::gslb::control {

/// GET /api/v1/simulate: what every client class gets, also under `down`, `up` and `drain` (lists
/// of sites, services or SERVICE/TARGET, with commas), for all steered names or only `name`.
base::http::Response simulate(const Helm& helm, const base::http::Request& request);

}  // namespace twinsite::gslb::control
