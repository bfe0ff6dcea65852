// SPDX-License-Identifier: Apache-2.0
#include "base/text/ip.hpp"

#include <arpa/inet.h>
#include <cstring>

#include "base/text/text.hpp"

namespace twinsite::base::text {

IpAddress IpAddress::from_v4(std::uint32_t host_order) {
    IpAddress out;
    for (unsigned i = 0; i < 4; ++i)
        out.bytes[i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
    return out;
}

IpAddress IpAddress::from_v6(const std::uint8_t* bytes) {
    constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    IpAddress out;
    if (std::memcmp(bytes, kMapped, sizeof kMapped) == 0) {
        std::memcpy(out.bytes.data(), bytes + sizeof kMapped, 4);
        return out;
    }
    out.family = Family::v6;
    std::memcpy(out.bytes.data(), bytes, 16);
    return out;
}

std::optional<IpAddress> parse_ip(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return std::nullopt;
    const std::string copy(text);
    std::uint8_t raw[16] = {};
    if (inet_pton(AF_INET, copy.c_str(), raw) == 1) {
        IpAddress out;
        std::memcpy(out.bytes.data(), raw, 4);
        return out;
    }
    if (inet_pton(AF_INET6, copy.c_str(), raw) == 1) return IpAddress::from_v6(raw);
    return std::nullopt;
}

std::string to_string(const IpAddress& address) {
    char out[INET6_ADDRSTRLEN] = {};
    inet_ntop(
        address.family == Family::v4 ? AF_INET : AF_INET6, address.bytes.data(), out, sizeof out
    );
    return out;
}

IpAddress masked(const IpAddress& address, unsigned length) {
    IpAddress out = address;
    for (unsigned i = 0; i < 16; ++i) {
        const unsigned kept = length > i * 8 ? length - i * 8 : 0;
        if (kept < 8) out.bytes[i] &= static_cast<std::uint8_t>(0xff00u >> kept);
    }
    return out;
}

bool IpPrefix::contains(const IpAddress& other) const {
    return other.family == address.family && masked(other, length) == address;
}

std::optional<IpPrefix> parse_prefix(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = parse_ip(text.substr(0, slash));
    if (!address) return std::nullopt;
    IpPrefix out{*address, static_cast<std::uint8_t>(address->bits())};
    if (slash != std::string_view::npos) {
        const auto length = parse_number<std::uint8_t>(text.substr(slash + 1));
        if (!length || *length > address->bits()) return std::nullopt;
        out.length = *length;
    }
    if (masked(*address, out.length) != *address) return std::nullopt;
    return out;
}

std::string to_string(const IpPrefix& prefix) {
    return to_string(prefix.address) + "/" + std::to_string(prefix.length);
}

}  // namespace twinsite::base::text
