// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/config/cursor.hpp"

/// How the DNS server speaks: the keys `edns`, `identity`, `rate_limit`, `query_log` and `dnstap`
/// of gslb.yaml.
namespace twinsite::gslb {

struct RateLimitConfig {
    std::uint32_t per_second = 0;  ///< 0: off
    std::uint32_t slip = 2;
    std::uint32_t ipv4_prefix = 24;        ///< 1..32
    std::uint32_t ipv6_prefix = 56;        ///< 1..64
    std::uint32_t table_entries = 65'536;  ///< 1024..16777216
};

struct ServerConfig {
    std::uint16_t ipv4_payload_bytes = 1232;  ///< 512..4096
    std::uint16_t ipv6_payload_bytes = 1232;  ///< 512..4096
    bool cookies = true;
    bool extended_errors = true;
    std::string nsid;           ///< at most 128 bytes
    std::string chaos_version;  ///< at most 255 bytes
    std::string chaos_id;       ///< at most 255 bytes
    RateLimitConfig rate_limit;
    std::size_t logged_queries = 1024;  ///< of each thread
    std::string dnstap_socket;          ///< resolved; empty: none
};

/// Reads those keys of the root. `payload_bytes` is what `udp_payload_bytes` says.
ServerConfig parse_server(base::config::Cursor root, std::uint16_t payload_bytes);

}  // namespace twinsite::gslb
