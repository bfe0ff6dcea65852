// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/text/ip.hpp"

/// DNS cookies in the form that servers of different make can share (RFC 9018): pure functions, so
/// time and secrets come from outside.
namespace twinsite::wire::dns {

inline constexpr std::size_t kClientCookieBytes = 8;
inline constexpr std::size_t kServerCookieBytes = 16;
inline constexpr std::size_t kFullCookieBytes = kClientCookieBytes + kServerCookieBytes;

using CookieSecret = std::array<std::uint8_t, 16>;

/// SipHash-2-4 with 64 bits of result (Aumasson and Bernstein 2012), as the little endian number.
std::uint64_t siphash24(const CookieSecret& key, std::span<const std::uint8_t> data);

/// The secrets of all servers that answer for the same addresses. Roll-over: `other` is the staged
/// one until all have it, then the two change places, and then the old one goes.
struct CookieSecrets {
    CookieSecret current{};             ///< makes cookies and accepts them
    std::optional<CookieSecret> other;  ///< accepts only

    bool operator==(const CookieSecrets&) const = default;
};

/// Server cookie (RFC 9018 section 4.1) for the client cookie `client` (8 bytes) at `now_s`,
/// seconds since 1970 modulo 2^32.
void make_server_cookie(
    const CookieSecret& secret,
    const std::uint8_t* client,
    const base::text::IpAddress& address,
    std::uint32_t now_s,
    std::uint8_t* out
);

/// Whether `cookie`, client and server part together, is one of ours for this address: made with
/// one of the secrets, not more than an hour ago and not more than five minutes ahead (RFC 9018
/// section 4.3). Any length is allowed; only 24 bytes can be right.
bool is_valid_cookie(
    const CookieSecrets& secrets,
    std::span<const std::uint8_t> cookie,
    const base::text::IpAddress& address,
    std::uint32_t now_s
);

}  // namespace twinsite::wire::dns
