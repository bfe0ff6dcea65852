// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "base/http/message.hpp"
#include "gslb/control/overrides.hpp"

namespace twinsite::gslb::control {

/// Body of PUT /api/v1/overrides/...: {"state", "reason", "author", "ttl_s"?, "force"?}.
struct OverrideRequest {
    Override entry;
    bool force = false;
};

/// The override asked for, or the problem to answer with: 400 for what is not a JSON object, 422
/// for a member that is missing, unknown or wrong.
std::variant<OverrideRequest, base::http::Response> read_override(
    const OverrideKey& key, const base::http::Request& request, const Moment& now
);

}  // namespace twinsite::gslb::control
