// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gslb/zone/zone_data.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"

/// The messages that begin an exchange between name servers. Pure.
namespace twinsite::gslb::transfer {

/// A plain question: SOA or AXFR.
std::vector<std::uint8_t> make_question(
    std::uint16_t id, const wire::dns::Name& name, std::uint16_t type
);
/// IXFR with the SOA that is here in the authority section (RFC 1995 section 3).
std::vector<std::uint8_t> make_ixfr(std::uint16_t id, const zone::RRset& soa);
/// NOTIFY with the new SOA in the answer section (RFC 1996 section 3.7).
std::vector<std::uint8_t> make_notify(std::uint16_t id, const zone::RRset& soa);

/// What a message is about, as far as transfers look at it.
struct Request {
    std::uint16_t id = 0;
    std::uint16_t flags = 0;
    wire::dns::Name name;
    std::uint16_t type = 0;
    std::uint16_t klass = 0;
    std::size_t question_end = 0;
    std::optional<std::uint32_t> serial;  ///< of the SOA in the answer or authority section

    bool is_notify() const { return (flags & wire::dns::flag::opcode_mask) == 4 << 11; }
};
/// Nullopt: malformed, or not exactly one question.
std::optional<Request> read_request(std::span<const std::uint8_t> message);

/// Header and question of `request` as a reply with `rcode`, and the flags in `more`.
std::vector<std::uint8_t> make_reply(
    std::span<const std::uint8_t> message,
    const Request& request,
    std::uint16_t rcode,
    std::uint16_t more = 0
);

}  // namespace twinsite::gslb::transfer
