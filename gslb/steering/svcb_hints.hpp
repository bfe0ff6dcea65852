// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/text/ip.hpp"

namespace twinsite::gslb::steering {

/// SVCB or HTTPS rdata with the addresses as ipv4hint and ipv6hint (RFC 9460 section 7.3), in place
/// of hints that it has. Keys stay in ascending order. Rdata that is cut off, and AliasMode
/// (priority 0), which takes no parameters, come back as they are.
std::vector<std::uint8_t> with_hints(
    std::span<const std::uint8_t> rdata, std::span<const base::text::IpAddress> addresses
);

}  // namespace twinsite::gslb::steering
