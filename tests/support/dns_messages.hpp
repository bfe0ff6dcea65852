// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/zone/zone_data.hpp"

/// DNS messages for tests, made and read by ldns: a parser that shares nothing with ours.
namespace twinsite::tests {

using Bytes = std::vector<std::uint8_t>;

/// A zone from lines "owner ttl TYPE rdata" with absolute names; ';' starts a comment line.
/// Throws std::invalid_argument with the line that ldns does not like.
gslb::zone::ZoneData zone_from_text(std::string_view origin, std::string_view text);

/// A query to build; every field that matters to a server can be set.
struct Question {
    std::string name;
    std::string type = "A";
    std::uint16_t klass = 1;
    std::uint16_t id = 0x1234;
    std::uint16_t flags = 0;
    std::optional<std::uint16_t> udp_payload{};  ///< set: with OPT
    std::uint8_t version = 0;
    bool dnssec_ok = false;
    Bytes options{};  ///< of the OPT, complete
};
/// OPT option with a client subnet: "10.1.9.0/24" in the shortest form.
Bytes subnet_option(std::string_view prefix);
Bytes make_query(const Question& question);

/// A reply in words: records as "owner ttl IN TYPE rdata" in lower case, sections in their order.
struct Reply {
    std::uint16_t id = 0;
    std::uint16_t flags = 0;  ///< without the rcode
    std::string rcode;        ///< with the bits of the OPT
    Bytes question;           ///< as on the wire
    std::vector<std::string> answer;
    std::vector<std::string> authority;
    std::vector<std::string> additional;  ///< without the OPT
    bool has_opt = false;
    std::uint8_t version = 0;
    std::uint16_t udp_payload = 0;
    bool dnssec_ok = false;
    std::optional<std::uint8_t> scope;  ///< of the client subnet option, when there is one
    Bytes options;
    std::size_t size_bytes = 0;
};
/// Throws std::invalid_argument when ldns cannot parse the whole message.
Reply parse_reply(const Bytes& message);

}  // namespace twinsite::tests
