// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace twinsite::base::crypto {

/// SHA-256 (FIPS 180-4): 32 raw bytes.
std::string sha256(std::string_view bytes);
/// The same as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);
/// SHA-1 (FIPS 180-4): 20 raw bytes. Only where a protocol has nothing else (RFC 5155).
std::string sha1(std::string_view bytes);

}  // namespace twinsite::base::crypto
