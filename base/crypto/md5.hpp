// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

/// MD5, for protocols that know nothing else (RADIUS, RFC 2865 and 2869). Proves nothing to anybody
/// who can choose what is hashed.
namespace twinsite::base::crypto {

using Md5 = std::array<std::uint8_t, 16>;

/// nullopt where the system forbids MD5.
std::optional<Md5> md5(std::span<const std::uint8_t> bytes);
/// HMAC-MD5 (RFC 2104). nullopt also for an empty key.
std::optional<Md5> hmac_md5(std::span<const std::uint8_t> key, std::span<const std::uint8_t> bytes);

}  // namespace twinsite::base::crypto
