// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// An RRSIG as one line of a master file, or an empty text when the rdata is none.
std::string signature_line(
    const wire::dns::Name& owner, std::uint32_t ttl, std::span<const std::uint8_t> rdata
);

}  // namespace twinsite::gslb::zone
