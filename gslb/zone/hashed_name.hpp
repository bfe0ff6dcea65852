// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace twinsite::gslb::zone {

using HashedName = std::array<std::uint8_t, 20>;

/// How NSEC3 hashes names (RFC 5155 section 3). The only algorithm there is is 1, SHA-1.
struct HashParameters {
    std::uint16_t iterations = 0;  ///< beyond the first
    std::uint8_t salt_bytes = 0;
    std::array<std::uint8_t, 255> salt{};

    std::span<const std::uint8_t> salt_view() const { return {salt.data(), salt_bytes}; }
    bool operator==(const HashParameters& other) const = default;
};

/// More than this is work for an attacker to ask for (RFC 9276 section 3.2 asks for 0).
inline constexpr std::uint16_t kMaxHashIterations = 100;

/// SHA-1 of `bytes`. No heap, no lock: used per query.
HashedName sha1(std::span<const std::uint8_t> bytes) noexcept;

/// The hash of a name of `size` (1..255) bytes in wire form and lower case.
HashedName hash_name_of(
    const HashParameters& parameters, const std::uint8_t* name, std::size_t size
) noexcept;

}  // namespace twinsite::gslb::zone
