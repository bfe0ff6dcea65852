// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "base/text/ip.hpp"

/// Certificates as values. OpenSSL stays inside the room.
namespace twinsite::base::crypto {

using WallTime = std::chrono::sys_seconds;

/// What a certificate may be used for.
enum class Use : std::uint8_t {
    tls,      ///< Both sides of TLS; ECDSA P-256.
    signing,  ///< Commands that go through a relay; Ed25519. Not fit for TLS.
};

/// What stands in a certificate. Reading it proves nothing: see Trust for that.
struct Certificate {
    std::string serial;  ///< Upper-case hex digits, no leading zeros.
    std::string uri;     ///< The URI SAN; "" unless there is exactly one (RFC 5280 4.2.1.6).
    std::vector<std::string> dns_names;
    std::vector<text::IpAddress> addresses;
    WallTime not_before{};
    WallTime not_after{};
    bool authority = false;  ///< May issue certificates.
    Use use = Use::tls;
};

/// The first certificate of a PEM text of at most 64 KiB. Errors: malformed.
Result<Certificate> parse_certificate(std::string_view pem);

/// Whole days until it ends; negative when it has ended.
std::int64_t days_left(const Certificate& certificate, WallTime now);
/// From here on the end is near enough to tell people.
constexpr std::int64_t kWarnDays = 30;

WallTime wall_now();

}  // namespace twinsite::base::crypto
