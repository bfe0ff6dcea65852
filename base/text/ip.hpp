// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinsite::base::text {

enum class Family : std::uint8_t { v4 = 4, v6 = 6 };

/// An IP address as a value. IPv4 uses bytes[0..3], the rest is zero. IPv4-mapped IPv6 addresses
/// (::ffff:0:0/96) become IPv4 when parsed, so that one client has one form.
struct IpAddress {
    Family family = Family::v4;
    std::array<std::uint8_t, 16> bytes{};

    auto operator<=>(const IpAddress&) const = default;
    /// Size of the address on the wire: 4 or 16.
    std::size_t size_bytes() const { return family == Family::v4 ? 4 : 16; }
    unsigned bits() const { return family == Family::v4 ? 32 : 128; }
    /// Host byte order. Only for IPv4.
    std::uint32_t v4() const {
        return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
               std::uint32_t{bytes[2]} << 8 | bytes[3];
    }

    static IpAddress from_v4(std::uint32_t host_order);
    /// `bytes` in network order, 16 of them. Mapped addresses become IPv4.
    static IpAddress from_v6(const std::uint8_t* bytes);
};

std::optional<IpAddress> parse_ip(std::string_view text);
std::string to_string(const IpAddress& address);

/// A network. Bits of `address` beyond `length` are zero.
struct IpPrefix {
    IpAddress address;
    std::uint8_t length = 0;  ///< 0..32 or 0..128

    auto operator<=>(const IpPrefix&) const = default;
    bool contains(const IpAddress& other) const;
};

/// "10.1.0.0/16" or "2001:db8::/32"; without a length the single address. nullopt when bits are
/// set beyond the length: such a line is nearly always a slip.
std::optional<IpPrefix> parse_prefix(std::string_view text);
std::string to_string(const IpPrefix& prefix);
/// The address with all bits beyond `length` cleared.
IpAddress masked(const IpAddress& address, unsigned length);

}  // namespace twinsite::base::text
