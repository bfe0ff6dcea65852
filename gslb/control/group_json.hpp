// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "gslb/control/intent_api.hpp"
#include "gslb/control/simulate.hpp"

/// The group, intents and simulations as JSON of the control API. Only .cpp files include it.
namespace twinsite::gslb::control {

boost::json::object group_to_json(const GroupView& view);
boost::json::object intent_to_json(const GroupView& view);
boost::json::object to_json(const Difference& difference);
boost::json::object to_json(const group::KnownVersion& version);
boost::json::object to_json(const ClassAnswer& answer);

}  // namespace twinsite::gslb::control
