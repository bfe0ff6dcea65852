// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/net/endpoint.hpp"
#include "gslb/answer/answer.hpp"

namespace twinsite::gslb::server {

/// One message for dnstap (the protocol buffer of dnstap.info): who, when, and the bytes.
struct DnstapMessage {
    enum class Kind : std::uint8_t { auth_query = 1, auth_response = 2 };
    Kind kind = Kind::auth_query;
    std::string_view identity;
    std::string_view version;
    base::net::Endpoint client;
    base::net::Endpoint server;
    answer::Transport transport = answer::Transport::udp;
    std::uint64_t time_s = 0;
    std::uint32_t time_ns = 0;
    std::span<const std::uint8_t> bytes;  ///< the query or the reply
};

/// Enough room for everything but `bytes`, with identity and version of 255 bytes each.
inline constexpr std::size_t kDnstapOverheadBytes = 640;

/// Writes the frame. Returns its size, 0 when `out` is too small.
std::size_t encode_dnstap(std::span<std::uint8_t> out, const DnstapMessage& message);

}  // namespace twinsite::gslb::server
