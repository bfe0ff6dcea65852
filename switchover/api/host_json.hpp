// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "switchover/fleet/host.hpp"

namespace twinsite::switchover::api {

class Backend;

/// A host as /api/v1/hosts shows it: what it reported, with what the judge says of it.
boost::json::object host_json(const fleet::Host& host, Backend& backend, fleet::Time now);

}  // namespace twinsite::switchover::api
