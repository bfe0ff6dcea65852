// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers of the protocol (RFC 1035 section 4.1, IANA "DNS Parameters").
namespace twinsite::wire::dns {

inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::size_t kMaxUdpWithoutEdns = 512;  // RFC 1035 section 2.3.4
inline constexpr std::size_t kMaxMessageBytes = 65535;

/// Types as plain numbers, since any of the 65536 may be asked.
namespace type {
inline constexpr std::uint16_t a = 1;
inline constexpr std::uint16_t ns = 2;
inline constexpr std::uint16_t cname = 5;
inline constexpr std::uint16_t soa = 6;
inline constexpr std::uint16_t ptr = 12;
inline constexpr std::uint16_t hinfo = 13;
inline constexpr std::uint16_t mx = 15;
inline constexpr std::uint16_t txt = 16;
inline constexpr std::uint16_t aaaa = 28;
inline constexpr std::uint16_t srv = 33;
inline constexpr std::uint16_t naptr = 35;
inline constexpr std::uint16_t dname = 39;
inline constexpr std::uint16_t opt = 41;
inline constexpr std::uint16_t ds = 43;
inline constexpr std::uint16_t rrsig = 46;
inline constexpr std::uint16_t nsec = 47;
inline constexpr std::uint16_t dnskey = 48;
inline constexpr std::uint16_t svcb = 64;
inline constexpr std::uint16_t https = 65;
inline constexpr std::uint16_t caa = 257;
inline constexpr std::uint16_t ixfr = 251;
inline constexpr std::uint16_t axfr = 252;
inline constexpr std::uint16_t any = 255;
/// 128..255 are questions and meta types; with OPT and 0 they have no data (RFC 6895 section 3.1).
constexpr bool is_meta(std::uint16_t value) {
    return value == 0 || value == opt || (value >= 128 && value <= 255);
}
}  // namespace type

inline constexpr std::uint16_t kClassIn = 1;
inline constexpr std::uint16_t kClassAny = 255;

enum class Rcode : std::uint16_t {
    no_error = 0,
    form_err = 1,
    serv_fail = 2,
    nx_domain = 3,
    not_imp = 4,
    refused = 5,
    bad_vers = 16,  ///< needs OPT for its upper bits (RFC 6891 section 6.1.3)
};

/// The 16 bits behind the identifier.
namespace flag {
inline constexpr std::uint16_t qr = 0x8000;
inline constexpr std::uint16_t opcode_mask = 0x7800;
inline constexpr std::uint16_t aa = 0x0400;
inline constexpr std::uint16_t tc = 0x0200;
inline constexpr std::uint16_t rd = 0x0100;
inline constexpr std::uint16_t ra = 0x0080;
inline constexpr std::uint16_t ad = 0x0020;
inline constexpr std::uint16_t cd = 0x0010;
}  // namespace flag

namespace option {
inline constexpr std::uint16_t client_subnet = 8;  // RFC 7871
}  // namespace option

/// "A", "AAAA", ... or "TYPE65280" (RFC 3597 section 5).
std::string type_to_string(std::uint16_t value);
/// The reverse, ignoring case.
std::optional<std::uint16_t> parse_type(std::string_view text);
/// "NOERROR", "NXDOMAIN", ... or "RCODE7".
std::string rcode_to_string(Rcode value);

}  // namespace twinsite::wire::dns
