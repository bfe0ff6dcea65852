// SPDX-License-Identifier: Apache-2.0
// Any bytes from an ICMP socket of either kind: refused, or an echo that lies in them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/check.hpp"
#include "wire/icmp/echo.hpp"

namespace icmp = twinsite::wire::icmp;
using twinsite::base::text::Family;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> datagram(data, size);
    const auto inner = icmp::strip_ipv4_header(datagram);
    BASE_CHECK(inner.size() <= size);
    for (const auto family : {Family::v4, Family::v6})
        for (const auto message : {datagram, inner})
            if (const auto echo = icmp::decode_echo_reply(family, message))
                BASE_CHECK(echo->payload.size() + 8 == message.size());
    const auto request = icmp::echo_request(Family::v4, {1, 2, datagram});
    BASE_CHECK(icmp::checksum(request) == 0);
    return 0;
}
