// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace twinsite::gslb::control {

/// The data of a record that stands in `message` at `offset`, as master files and dig write it.
/// Types we have no form for, and data that do not fit theirs, come out as RFC 3597 section 5 says:
/// `\# LENGTH HEX`.
std::string rdata_to_text(
    std::uint16_t type,
    std::span<const std::uint8_t> message,
    std::size_t offset,
    std::size_t size_bytes
);

}  // namespace twinsite::gslb::control
