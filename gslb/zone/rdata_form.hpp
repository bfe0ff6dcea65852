// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace twinsite::gslb::zone {

/// What is wrong with the wire form of rdata, or an empty text. Knows the types whose inside the
/// server reads or compresses (RFC 1035 section 3.3, 2782, 3403, 8659, 9460); others pass.
std::string rdata_form_problem(std::uint16_t type, std::span<const std::uint8_t> rdata);

}  // namespace twinsite::gslb::zone
