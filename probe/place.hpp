// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/net/endpoint.hpp"

namespace twinsite::probe {

/// Whom a probe asks, and from where.
struct Place {
    base::net::Endpoint target;
    std::optional<base::text::IpAddress> source = {};  ///< Address to ask from.
};

}  // namespace twinsite::probe
