// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace twinsite::base::crypto {

/// SHA-256 (FIPS 180-4): 32 raw bytes.
std::string sha256(std::string_view bytes);
/// The same as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace twinsite::base::crypto
