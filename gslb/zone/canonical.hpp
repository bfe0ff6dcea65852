// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace twinsite::gslb::zone {

/// Rdata in canonical form: names in it in lower case, for the types of RFC 4034 section 6.2 as
/// RFC 6840 section 5.1 mends it. Rdata that is not of its type's form comes back as it is.
std::vector<std::uint8_t> canonical_rdata(std::uint16_t type, std::span<const std::uint8_t> rdata);

void append_u16(std::vector<std::uint8_t>& out, std::uint16_t value);
void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value);
void append_bytes(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> bytes);

}  // namespace twinsite::gslb::zone
