// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// RADIUS packets (RFC 2865 section 3) as far as a health check needs them. No cryptography: who
/// computes digests fills in and compares them.
namespace twinsite::wire::radius {

inline constexpr std::size_t kHeaderBytes = 20;
inline constexpr std::size_t kMaxBytes = 4096;
inline constexpr std::size_t kDigestBytes = 16;
using Authenticator = std::array<std::uint8_t, kDigestBytes>;

namespace code {
inline constexpr std::uint8_t access_accept = 2;
inline constexpr std::uint8_t accounting_response = 5;
inline constexpr std::uint8_t status_server = 12;  // RFC 5997
}  // namespace code

namespace attribute {
inline constexpr std::uint8_t message_authenticator = 80;  // RFC 2869 section 5.14
}  // namespace attribute

/// A packet in place. The bytes must stay valid.
struct Packet {
    std::uint8_t code = 0;
    std::uint8_t identifier = 0;
    std::span<const std::uint8_t> bytes;  ///< the packet without padding behind its length
    /// Where the value of the Message-Authenticator stands in `bytes`.
    std::optional<std::size_t> authenticator_at;

    std::span<const std::uint8_t> authenticator() const { return bytes.subspan(4, kDigestBytes); }
};

/// nullopt unless header, length and every attribute are well formed, and a Message-Authenticator
/// comes at most once and has 16 bytes. Bytes behind the length are padding (RFC 2865 section 3).
std::optional<Packet> decode(std::span<const std::uint8_t> datagram);

/// A Status-Server request: `random` is the Request Authenticator; its only attribute is a
/// Message-Authenticator of zeros, whose place is `kRequestDigestAt`.
std::vector<std::uint8_t> status_server(std::uint8_t identifier, const Authenticator& random);
inline constexpr std::size_t kRequestDigestAt = kHeaderBytes + 2;

}  // namespace twinsite::wire::radius
