// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"

/// Endpoints in configuration files.
template <>
struct twinsite::base::config::Scalar<twinsite::base::net::Endpoint> {
    static constexpr const char* kExpected =
        "an address with its port, for example 192.0.2.1:53 or [2001:db8::1]:53";
    static std::optional<net::Endpoint> parse(std::string_view text) {
        return net::parse_endpoint(text);
    }
};
