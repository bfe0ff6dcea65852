// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

/// Keyed hashes (HMAC, RFC 2104).
namespace twinsite::base::crypto {

enum class MacAlgorithm : std::uint8_t { hmac_sha1, hmac_sha256, hmac_sha384, hmac_sha512 };

/// 20, 32, 48 or 64.
std::size_t mac_bytes(MacAlgorithm algorithm);

/// The MAC over the parts, one behind the other. Aborts when OpenSSL has no memory.
std::vector<std::uint8_t> make_mac(
    MacAlgorithm algorithm,
    std::string_view secret,
    std::initializer_list<std::span<const std::uint8_t>> parts
);

}  // namespace twinsite::base::crypto
