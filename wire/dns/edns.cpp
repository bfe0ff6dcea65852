// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/edns.hpp"

#include <array>
#include <cstring>

#include "wire/dns/bytes.hpp"
#include "wire/dns/error.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::wire::dns {
namespace {

constexpr std::size_t kSubnetHeaderBytes = 4;
constexpr std::uint16_t kFamilyV4 = 1;  // IANA address family numbers
constexpr std::uint16_t kFamilyV6 = 2;

}  // namespace

base::text::IpAddress ClientSubnet::address() const {
    std::array<std::uint8_t, 16> bytes{};
    copy_short(bytes.data(), data.data() + kSubnetHeaderBytes, data.size() - kSubnetHeaderBytes);
    if (family() == kFamilyV6) return base::text::IpAddress::from_v6(bytes.data());
    base::text::IpAddress out;
    out.bytes = bytes;
    return out;
}

base::Result<ClientSubnet> decode_client_subnet(std::span<const std::uint8_t> data) {
    if (data.size() < kSubnetHeaderBytes) return Errc::bad_subnet;
    const ClientSubnet out{data};
    const unsigned source = out.source_length();
    const unsigned scope = data[3];
    const unsigned family = out.family();
    const unsigned limit = family == kFamilyV4 ? 32 : family == kFamilyV6 ? 128 : 0;
    if (source > limit || scope != 0 || family > kFamilyV6) return Errc::bad_subnet;
    if (data.size() != kSubnetHeaderBytes + (source + 7) / 8) return Errc::bad_subnet;
    if (source % 8 != 0 && (data.back() & (0xffu >> source % 8)) != 0) return Errc::bad_subnet;
    return out;
}

base::Result<void> decode_options(std::span<const std::uint8_t> options, Edns& into) {
    while (!options.empty()) {
        if (options.size() < 4) return Errc::bad_option;
        const std::uint16_t code = load16(options.data());
        const std::size_t size = load16(options.data() + 2);
        if (size > options.size() - 4) return Errc::bad_option;
        if (code == option::client_subnet) {
            if (!into.subnet.data.empty()) return Errc::bad_subnet;
            const auto subnet = decode_client_subnet(options.subspan(4, size));
            if (!subnet) return subnet.error();
            into.subnet = *subnet;
        }
        options = options.subspan(4 + size);
    }
    return {};
}

void write_opt(
    std::uint8_t* at,
    std::uint16_t udp_payload,
    std::uint16_t rcode,
    bool dnssec_ok,
    const ClientSubnet& subnet,
    std::uint8_t scope
) {
    const std::size_t subnet_bytes = subnet.data.size();
    at[0] = 0;  // the root
    store16(at + 1, type::opt);
    store16(at + 3, udp_payload);
    // Upper bits of the rcode, version 0, DO as in the query (RFC 3225 section 3).
    store32(at + 5, std::uint32_t{rcode} >> 4 << 24 | (dnssec_ok ? 0x8000u : 0u));
    store16(at + 9, static_cast<std::uint16_t>(subnet_bytes == 0 ? 0 : 4 + subnet_bytes));
    if (subnet_bytes == 0) return;
    store16(at + 11, option::client_subnet);
    store16(at + 13, static_cast<std::uint16_t>(subnet_bytes));
    copy_short(at + 15, subnet.data.data(), subnet_bytes);
    at[15 + 3] = scope;
}

}  // namespace twinsite::wire::dns
