// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/dns/edns.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::wire::dns {

/// What to do with a packet, decided by its form alone.
enum class QueryForm : std::uint8_t {
    good,
    drop,            ///< shorter than a header, or itself a reply: no answer at all
    bad_opcode,      ///< NOTIMP, header only: a question need not have our form (RFC 1035 4.1.1)
    bad_header,      ///< FORMERR, header only: no single well-formed question (RFC 9619)
    bad_additional,  ///< FORMERR with the question; with OPT when one was seen (RFC 6891 section 7)
    bad_version,     ///< BADVERS with the question (RFC 6891 section 6.1.3)
};

/// A query as a view of its packet; valid as long as the packet is.
struct Query {
    const std::uint8_t* packet = nullptr;
    std::uint16_t flags = 0;       ///< the 16 bits behind the identifier
    std::uint16_t name_bytes = 0;  ///< of the question's name, which starts at kHeaderBytes
    std::uint16_t type = 0;
    std::uint16_t klass = 0;
    Edns edns;

    const std::uint8_t* name() const { return packet + kHeaderBytes; }
    /// Header excluded: name, type and class.
    std::size_t question_bytes() const { return name_bytes + std::size_t{4}; }
    std::uint8_t opcode() const { return static_cast<std::uint8_t>(flags >> 11 & 0xf); }
};

/// Reads `packet` into `out`, which must be fresh. With good, bad_additional and bad_version the
/// question is filled; with bad_additional also `edns.present`. Records other than OPT behind the
/// question are stepped over; bytes behind the last record are ignored.
QueryForm decode_query(std::span<const std::uint8_t> packet, Query& out);

}  // namespace twinsite::wire::dns
