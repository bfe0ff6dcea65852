// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/result.hpp"
#include "base/text/ip.hpp"

namespace twinsite::wire::dns {

/// The client subnet option of a query (RFC 7871 section 6), checked. `data` is the option as it
/// came (family, source length, scope length, address bytes) and points into the query, because a
/// reply must repeat it byte for byte apart from the scope.
struct ClientSubnet {
    std::span<const std::uint8_t> data;

    std::uint16_t family() const { return static_cast<std::uint16_t>(data[0] << 8 | data[1]); }
    std::uint8_t source_length() const { return data[2]; }
    /// The address filled up with zeros. Only for families 1 and 2.
    base::text::IpAddress address() const;
};

/// Checks the data of a client subnet option in a query. `Errc::bad_subnet` unless the family is 1
/// or 2, the source length is at most 32 or 128, the scope is 0, the address has exactly the bytes
/// the source length needs and no bit beyond it (RFC 7871 sections 6 and 7.2.1).
/// Deviation: the RFC leaves unknown families open; they are refused as gdnsd does, except the form
/// 0/0/0 without address that dig sends for "no subnet".
base::Result<ClientSubnet> decode_client_subnet(std::span<const std::uint8_t> data);

/// What the OPT record of a query says (RFC 6891 section 6.1).
struct Edns {
    bool present = false;
    std::uint8_t version = 0;
    bool dnssec_ok = false;
    std::uint16_t udp_payload = 0;  ///< as sent, may be below 512
    ClientSubnet subnet;            ///< `data` empty: none
};

/// Walks the options of an OPT record and takes the client subnet; the others are skipped unread.
/// `Errc::bad_option` when an option is longer than what is left, `Errc::bad_subnet` also when
/// there are two of them.
base::Result<void> decode_options(std::span<const std::uint8_t> options, Edns& into);

inline constexpr std::size_t kOptBytes = 11;  ///< an OPT record without options

/// Bytes of the OPT record of a reply that repeats `subnet`.
inline std::size_t opt_bytes(const ClientSubnet& subnet) {
    return kOptBytes + (subnet.data.empty() ? 0 : 4 + subnet.data.size());
}
/// Writes that record: version 0, the upper bits of `rcode`, and `subnet` with `scope` when its
/// data are not empty. `at` has room for opt_bytes(subnet).
void write_opt(
    std::uint8_t* at,
    std::uint16_t udp_payload,
    std::uint16_t rcode,
    bool dnssec_ok,
    const ClientSubnet& subnet,
    std::uint8_t scope
);

}  // namespace twinsite::wire::dns
