// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/text/ip.hpp"

/// ICMP echo (RFC 792) and ICMPv6 echo (RFC 4443 section 4).
namespace twinsite::wire::icmp {

struct Echo {
    std::uint16_t identifier = 0;
    std::uint16_t sequence = 0;
    std::span<const std::uint8_t> payload;
};

/// An echo request. The checksum is filled in for IPv4; for IPv6 the kernel does it.
std::vector<std::uint8_t> echo_request(base::text::Family family, const Echo& echo);

/// The echo reply in `message` (ICMP without IP header); nullopt for anything else and for a wrong
/// IPv4 checksum. The payload points into `message`.
std::optional<Echo> decode_echo_reply(
    base::text::Family family, std::span<const std::uint8_t> message
);

/// What a raw IPv4 socket gives, without its IP header; empty when that is malformed.
std::span<const std::uint8_t> strip_ipv4_header(std::span<const std::uint8_t> datagram);

/// RFC 1071 over the bytes; 0 when a correct checksum is among them.
std::uint16_t checksum(std::span<const std::uint8_t> bytes);

}  // namespace twinsite::wire::icmp
