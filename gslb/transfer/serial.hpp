// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twinsite::gslb::transfer {

/// Whether serial `a` comes after `b` (RFC 1982 section 3.2). Half the circle apart, neither does.
constexpr bool is_newer(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t ahead = a - b;
    return ahead != 0 && ahead < 0x80000000U;
}

}  // namespace twinsite::gslb::transfer
