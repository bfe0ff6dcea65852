// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/http/message.hpp"
#include "gslb/control/helm.hpp"

/// The values of the control API as JSON.
namespace twinsite::gslb::control {

boost::json::object to_json(const Explanation& explanation);
/// `ttl_s` is what is left, null without expiry.
boost::json::object to_json(const Override& entry, const Moment& now);
/// Zones and services with their targets and checks, for /api/v1/status.
boost::json::array zones_to_json(const zone::Index& index);
boost::json::array services_to_json(const Helm& helm);
boost::json::array to_json(const std::vector<std::string>& texts);

/// 200 with the value as its body.
base::http::Response json_answer(const boost::json::object& value);

}  // namespace twinsite::gslb::control
