// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gslb/answer/answer.hpp"
#include "gslb/answer/counters.hpp"
#include "gslb/zone/index.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/query.hpp"

/// A reply under construction. All in the header: each step is a few instructions of the query
/// path and is worth nothing behind a call.
namespace twinsite::gslb::answer {

/// The owner of a record that belongs to the question's name: a pointer to it.
inline constexpr std::uint16_t kOwnerIsQuestion = 0xC000 | wire::dns::kHeaderBytes;
/// The reply being written: header, question, sections so far. `limit` leaves room for the OPT.
struct Draft {
    const wire::dns::Query& query;
    std::uint8_t* out;
    std::size_t limit;
    std::size_t at;
    std::uint16_t flags;
    std::uint16_t answers = 0;
    std::uint16_t authorities = 0;
    std::uint16_t additionals = 0;
    std::uint8_t scope = 0;
    bool overflow = false;
    bool more_options = false;  ///< the OPT gets more than the client subnet
    bool cookie_valid = false;
    /// With a steered type that has no records now: shown in place of the name's own proof.
    const zone::Proof* denial = nullptr;
    std::uint32_t negative_ttl_s = 0xffffffff;  ///< at most this for the SOA of a negative answer
    wire::dns::ExtendedError why = wire::dns::ExtendedError::none;
    // For the log of queries, when a steered name gave the answer.
    std::uint16_t client_class = 0;
    std::uint32_t steered = Outcome::kNone;
    std::uint32_t variant = 0;
};

/// Bytes of the options besides the client subnet that the reply owes to the query.
std::size_t more_option_bytes(const Context& context, const wire::dns::Query& query);
/// Writes them behind the OPT at `opt`, which ends at draft.at, and an extended error if it fits.
void write_more_options(const Context& context, Draft& draft, std::uint8_t* opt);
/// Says what became of the query.
inline Outcome outcome_of(const Draft& draft, unsigned rcode, std::size_t opt_bytes) {
    using Kind = Outcome::Kind;
    Outcome out;
    out.kind = rcode == 3 ? Kind::name_error : Kind::error;
    if (rcode == 0) {
        const bool ours = (draft.flags & wire::dns::flag::aa) != 0;
        out.kind = !ours ? Kind::referral : draft.answers != 0 ? Kind::answer : Kind::no_data;
    }
    out.cookie_valid = draft.cookie_valid;
    out.scope = draft.scope;
    out.rcode = static_cast<std::uint16_t>(rcode);
    out.client_class = draft.client_class;
    out.steered = draft.steered;
    out.variant = draft.variant;
    out.opt_bytes = static_cast<std::uint16_t>(opt_bytes);
    out.question_bytes = static_cast<std::uint16_t>(draft.query.question_bytes());
    return out;
}

inline void set_rcode(Draft& draft, wire::dns::Rcode rcode) {
    draft.flags = static_cast<std::uint16_t>(draft.flags | (static_cast<unsigned>(rcode) & 0xf));
}

inline void count_rcode(Counters& counters, unsigned rcode) {
    switch (static_cast<wire::dns::Rcode>(rcode)) {
        case wire::dns::Rcode::no_error:
            return counters.no_error.add();
        case wire::dns::Rcode::nx_domain:
            return counters.nx_domain.add();
        case wire::dns::Rcode::yx_domain:
            return counters.yx_domain.add();
        case wire::dns::Rcode::form_err:
            return counters.form_err.add();
        case wire::dns::Rcode::serv_fail:
            return counters.serv_fail.add();
        case wire::dns::Rcode::not_imp:
            return counters.not_imp.add();
        case wire::dns::Rcode::refused:
            return counters.refused.add();
        case wire::dns::Rcode::bad_vers:
            return counters.bad_vers.add();
    }
}

inline Draft start(
    const Context& context, const wire::dns::Query& query, std::span<std::uint8_t> reply
) {
    std::size_t limit = std::min(reply.size(), wire::dns::kMaxMessageBytes);
    if (context.transport == Transport::udp) {
        // Below 512 counts as 512 (RFC 6891 section 6.2.3).
        const std::size_t offered =
            query.edns.present ? std::max<std::size_t>(query.edns.udp_payload, 512) : 512;
        limit = std::min({limit, offered, std::size_t{context.max_udp_payload}});
    }
    bool more = false;
    if (query.edns.present) {
        limit -= wire::dns::opt_bytes(query.edns.subnet);
        more = context.conduct != nullptr && query.edns.asks_more();
        if (more) limit -= more_option_bytes(context, query);
    }
    wire::dns::copy_short(
        reply.data() + wire::dns::kHeaderBytes, query.name(), query.question_bytes()
    );
    Draft out{
        query,
        reply.data(),
        limit,
        wire::dns::kHeaderBytes + query.question_bytes(),
        static_cast<std::uint16_t>(wire::dns::flag::qr | (query.flags & wire::dns::flag::rd))
    };
    out.more_options = more;
    return out;
}

inline std::size_t finish(const Context& context, Draft& draft, std::uint16_t extended_rcode = 0) {
    if (draft.overflow) [[unlikely]] {
        // Empty sections: half an RRset helps nobody (RFC 2181 section 9).
        draft.at = wire::dns::kHeaderBytes + draft.query.question_bytes();
        draft.answers = draft.authorities = draft.additionals = 0;
        if (context.transport == Transport::udp) {
            draft.flags |= wire::dns::flag::tc;
            context.counters.truncated.add();
        } else {
            draft.flags &= static_cast<std::uint16_t>(~(wire::dns::flag::aa | 0xf));
            set_rcode(draft, wire::dns::Rcode::serv_fail);
        }
    }
    const std::size_t sections_end = draft.at;
    std::uint64_t additionals = draft.additionals;
    if (draft.query.edns.present) {
        std::uint8_t* const opt = draft.out + draft.at;
        wire::dns::write_opt(
            opt,
            context.max_udp_payload,
            extended_rcode,
            draft.query.edns.dnssec_ok,
            draft.query.edns.subnet,
            draft.scope
        );
        draft.at += wire::dns::opt_bytes(draft.query.edns.subnet);
        if (draft.more_options || draft.why != wire::dns::ExtendedError::none) [[unlikely]]
            write_more_options(context, draft, opt);
        ++additionals;
    }
    std::copy_n(draft.query.packet, 2, draft.out);
    wire::dns::store16(draft.out + 2, draft.flags);
    wire::dns::store64(
        draft.out + 4,
        std::uint64_t{1} << 48 | std::uint64_t{draft.answers} << 32 |
            std::uint64_t{draft.authorities} << 16 | additionals
    );
    const unsigned rcode = extended_rcode != 0 ? extended_rcode : draft.flags & 0xf;
    count_rcode(context.counters, rcode);
    if (context.outcome != nullptr)
        *context.outcome = outcome_of(draft, rcode, draft.at - sections_end);
    return draft.at;
}

/// Room for `size` more bytes, or null and the draft is marked.
inline std::uint8_t* extend(Draft& draft, std::size_t size) {
    if (draft.overflow || size > draft.limit - draft.at) [[unlikely]] {
        draft.overflow = true;
        return nullptr;
    }
    std::uint8_t* const to = draft.out + draft.at;
    draft.at += size;
    return to;
}

/// Gives the records at `to` another owner than the question. None of them begins with a name
/// that is written out.
inline void set_owners(std::uint8_t* to, std::size_t size, std::uint16_t owner) {
    for (std::size_t at = 0; at < size; at += 12 + std::size_t{wire::dns::load16(to + at + 10)})
        wire::dns::store16(to + at, owner);
}

/// Appends composed bytes. Returns their start, or null when they do not fit.
inline std::uint8_t* append(Draft& draft, const std::uint8_t* bytes, std::size_t size) {
    std::uint8_t* const to = extend(draft, size);
    if (to != nullptr) wire::dns::copy_short(to, bytes, size);
    return to;
}

/// Makes what was appended at `to` answers under the owner.
inline void take_as_answers(
    Draft& draft, std::uint8_t* to, std::size_t size, std::size_t records, std::uint16_t owner
) {
    if (to == nullptr) return;  // an overflow empties all sections
    if (owner != kOwnerIsQuestion) set_owners(to, size, owner);
    draft.answers = static_cast<std::uint16_t>(draft.answers + records);
}

/// Appends a blob that was composed for a question of `composed_for` bytes. Returns its start, or
/// null when it does not fit.
inline std::uint8_t* append(
    Draft& draft, const zone::Index& index, const zone::Blob& blob, std::size_t composed_for
) {
    std::uint8_t* const to = append(draft, index.bytes(blob), blob.size_bytes);
    if (to == nullptr) return nullptr;
    const std::size_t moved = draft.query.name_bytes - composed_for;  // modulo 2^16 below
    if (moved != 0)
        for (const std::uint16_t fixup : index.fixups(blob))
            wire::dns::store16(
                to + fixup, static_cast<std::uint16_t>(wire::dns::load16(to + fixup) + moved)
            );
    return to;
}

/// A reply of the header alone. Only the identifier and the opcode come from the query: flags that
/// belong to another opcode or to a broken question are not ours to repeat.
std::size_t header_only(
    const Context& context, const wire::dns::Query& query, wire::dns::Rcode rcode, std::uint8_t* out
);

}  // namespace twinsite::gslb::answer
