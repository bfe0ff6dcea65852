// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/dns/cookie.hpp"

namespace twinsite::gslb::answer {

/// How the server speaks, apart from what it knows: fixed for a batch, changed by a reload or by a
/// roll-over of the cookie secrets.
struct Conduct {
    std::uint16_t udp_payload_v4_bytes = 1232;  ///< 512..4096; over IPv4
    std::uint16_t udp_payload_v6_bytes = 1232;  ///< 512..4096; over IPv6
    std::vector<std::uint8_t> nsid;             ///< at most 128; empty: not told (RFC 5001)
    std::string chaos_version;                  ///< version.bind, version.server; at most 255
    std::string chaos_id;  ///< id.server, hostname.bind (RFC 4892); empty: refused
    bool cookies = true;
    wire::dns::CookieSecrets cookie_secrets;
    std::uint16_t keepalive_100ms = 100;  ///< idle limit of TCP in tenths of a second
    bool extended_errors = true;          ///< RFC 8914
    bool operator==(const Conduct&) const = default;
};

/// What came of one query, for rate limits and for the log of queries.
struct Outcome {
    enum class Kind : std::uint8_t { none, answer, no_data, name_error, referral, error };
    Kind kind = Kind::none;
    bool cookie_valid = false;
    /// Not answered: asked for something that a TransferSeam may want (Context::hand_over).
    bool handed_over = false;
    std::uint8_t scope = 0;            ///< of the client subnet option
    std::uint16_t rcode = 0;           ///< with the bits of the OPT
    std::uint16_t client_class = 0;    ///< only when steered
    std::uint32_t steered = kNone;     ///< number of the policy
    std::uint32_t variant = 0;         ///< only when steered: which of its answers
    std::uint16_t opt_bytes = 0;       ///< of the OPT, the reply's last record; 0: none
    std::uint16_t question_bytes = 0;  ///< name, type and class behind the header; 0: not readable

    static constexpr std::uint32_t kNone = 0xffffffff;
};

}  // namespace twinsite::gslb::answer
