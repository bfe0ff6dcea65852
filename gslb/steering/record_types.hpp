// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/text/ip.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::steering {

/// A record that a target answers with, beside its addresses.
struct TypedRecord {
    std::uint16_t type = 0;
    std::vector<std::uint8_t> rdata;  ///< wire form, names not compressed
    /// SVCB and HTTPS: the addresses of the targets in the answer are added as ipv4hint and
    /// ipv6hint (RFC 9460 section 7.3), so that hints and addresses cannot differ.
    bool hints = false;
    bool operator==(const TypedRecord&) const = default;
};

/// The types besides A and AAAA that steering can answer.
constexpr bool is_steerable(std::uint16_t type) noexcept {
    using namespace wire::dns::type;
    return type == a || type == aaaa || type == cname || type == srv || type == naptr ||
           type == svcb || type == https || type == txt;
}

constexpr bool is_address(std::uint16_t type) noexcept {
    return type == wire::dns::type::a || type == wire::dns::type::aaaa;
}

constexpr base::text::Family family_of(std::uint16_t type) noexcept {
    return type == wire::dns::type::a ? base::text::Family::v4 : base::text::Family::v6;
}

}  // namespace twinsite::gslb::steering
