// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/answer.hpp"

#include <algorithm>

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name_key.hpp"
#include "wire/dns/query.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using base::text::Family;
using base::text::IpAddress;
using dns::Query;
using dns::QueryForm;
using dns::Rcode;
using zone::Blob;
using zone::Node;
using MatchKind = zone::Index::MatchKind;

constexpr std::uint16_t kOwnerIsQuestion = 0xC000 | dns::kHeaderBytes;
/// A chain longer than this is answered as far as it goes; the resolver asks on.
constexpr unsigned kMaxChain = 16;

/// Types of 128..255 that are defined and that we do not do (RFC 6895 section 3.1).
constexpr std::uint16_t kTkey = 249;
constexpr std::uint16_t kMailb = 253;
constexpr std::uint16_t kMaila = 254;

/// The reply being written: header, question, sections so far. `limit` leaves room for the OPT.
struct Draft {
    const Query& query;
    std::uint8_t* out;
    std::size_t limit;
    std::size_t at;
    std::uint16_t flags;
    std::uint16_t answers = 0;
    std::uint16_t authorities = 0;
    std::uint16_t additionals = 0;
    std::uint8_t scope = 0;
    bool overflow = false;
    std::uint32_t negative_ttl_s = 0xffffffff;  ///< at most this for the SOA of a negative answer
};

void set_rcode(Draft& draft, Rcode rcode) {
    draft.flags = static_cast<std::uint16_t>(draft.flags | (static_cast<unsigned>(rcode) & 0xf));
}

void count_rcode(Counters& counters, unsigned rcode) {
    switch (static_cast<Rcode>(rcode)) {
        case Rcode::no_error:
            return counters.no_error.add();
        case Rcode::nx_domain:
            return counters.nx_domain.add();
        case Rcode::form_err:
            return counters.form_err.add();
        case Rcode::serv_fail:
            return counters.serv_fail.add();
        case Rcode::not_imp:
            return counters.not_imp.add();
        case Rcode::refused:
            return counters.refused.add();
        case Rcode::bad_vers:
            return counters.bad_vers.add();
    }
}

/// A reply of the header alone. Only the identifier and the opcode come from the query: flags that
/// belong to another opcode or to a broken question are not ours to repeat.
std::size_t header_only(const Query& query, Rcode rcode, Counters& counters, std::uint8_t* out) {
    const unsigned opcode = query.flags & dns::flag::opcode_mask;
    std::fill_n(out, dns::kHeaderBytes, std::uint8_t{0});
    std::copy_n(query.packet, 2, out);
    dns::store16(
        out + 2, static_cast<std::uint16_t>(dns::flag::qr | opcode | static_cast<unsigned>(rcode))
    );
    count_rcode(counters, static_cast<unsigned>(rcode));
    return dns::kHeaderBytes;
}

Draft start(const Context& context, const Query& query, std::span<std::uint8_t> reply) {
    std::size_t limit = std::min(reply.size(), dns::kMaxMessageBytes);
    if (context.transport == Transport::udp) {
        // Below 512 counts as 512 (RFC 6891 section 6.2.3).
        const std::size_t offered =
            query.edns.present ? std::max<std::size_t>(query.edns.udp_payload, 512) : 512;
        limit = std::min({limit, offered, std::size_t{context.max_udp_payload}});
    }
    if (query.edns.present) limit -= dns::opt_bytes(query.edns.subnet);
    dns::copy_short(reply.data() + dns::kHeaderBytes, query.name(), query.question_bytes());
    return {
        query,
        reply.data(),
        limit,
        dns::kHeaderBytes + query.question_bytes(),
        static_cast<std::uint16_t>(dns::flag::qr | (query.flags & dns::flag::rd))
    };
}

std::size_t finish(const Context& context, Draft& draft, std::uint16_t extended_rcode = 0) {
    if (draft.overflow) [[unlikely]] {
        // Empty sections: half an RRset helps nobody (RFC 2181 section 9).
        draft.at = dns::kHeaderBytes + draft.query.question_bytes();
        draft.answers = draft.authorities = draft.additionals = 0;
        if (context.transport == Transport::udp) {
            draft.flags |= dns::flag::tc;
            context.counters.truncated.add();
        } else {
            draft.flags &= static_cast<std::uint16_t>(~(dns::flag::aa | 0xf));
            set_rcode(draft, Rcode::serv_fail);
        }
    }
    std::uint64_t additionals = draft.additionals;
    if (draft.query.edns.present) {
        dns::write_opt(
            draft.out + draft.at,
            context.max_udp_payload,
            extended_rcode,
            draft.query.edns.dnssec_ok,
            draft.query.edns.subnet,
            draft.scope
        );
        draft.at += dns::opt_bytes(draft.query.edns.subnet);
        ++additionals;
    }
    std::copy_n(draft.query.packet, 2, draft.out);
    dns::store16(draft.out + 2, draft.flags);
    dns::store64(
        draft.out + 4,
        std::uint64_t{1} << 48 | std::uint64_t{draft.answers} << 32 |
            std::uint64_t{draft.authorities} << 16 | additionals
    );
    count_rcode(context.counters, extended_rcode != 0 ? extended_rcode : draft.flags & 0xf);
    return draft.at;
}

/// Room for `size` more bytes, or null and the draft is marked.
std::uint8_t* extend(Draft& draft, std::size_t size) {
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
void set_owners(std::uint8_t* to, std::size_t size, std::uint16_t owner) {
    for (std::size_t at = 0; at < size; at += 12 + std::size_t{dns::load16(to + at + 10)})
        dns::store16(to + at, owner);
}

/// Appends composed bytes. Returns their start, or null when they do not fit.
std::uint8_t* append(Draft& draft, const std::uint8_t* bytes, std::size_t size) {
    std::uint8_t* const to = extend(draft, size);
    if (to != nullptr) dns::copy_short(to, bytes, size);
    return to;
}

/// Makes what was appended at `to` answers under the owner.
void take_as_answers(
    Draft& draft, std::uint8_t* to, std::size_t size, std::size_t records, std::uint16_t owner
) {
    if (to == nullptr) return;  // an overflow empties all sections
    if (owner != kOwnerIsQuestion) set_owners(to, size, owner);
    draft.answers = static_cast<std::uint16_t>(draft.answers + records);
}

/// Appends a blob that was composed for a question of `composed_for` bytes. Returns its start, or
/// null when it does not fit.
std::uint8_t* append(
    Draft& draft, const zone::Index& index, const Blob& blob, std::size_t composed_for
) {
    std::uint8_t* const to = append(draft, index.bytes(blob), blob.size_bytes);
    if (to == nullptr) return nullptr;
    const std::size_t moved = draft.query.name_bytes - composed_for;  // modulo 2^16 below
    if (moved != 0)
        for (const std::uint16_t fixup : index.fixups(blob))
            dns::store16(to + fixup, static_cast<std::uint16_t>(dns::load16(to + fixup) + moved));
    return to;
}

void append_negative(Draft& draft, const zone::Index& index, const Node& node) {
    const zone::Zone& zone = index.zone(node);
    std::uint8_t* const to = append(draft, index, zone.negative, zone.origin_bytes);
    constexpr std::size_t kTtlOffset = 6;  // behind the owner's pointer, type and class
    if (to != nullptr && dns::load32(to + kTtlOffset) > draft.negative_ttl_s)
        dns::store32(to + kTtlOffset, draft.negative_ttl_s);
    draft.authorities = 1;
}

void append_referral(
    const Context& context, Draft& draft, const zone::Index& index, const Node& node
) {
    const zone::Referral& referral = index.referral(node);
    append(draft, index, referral.blob, referral.name_bytes);
    draft.authorities = referral.blob.records;
    draft.additionals = referral.additional;
    context.counters.referral.add();
}

/// The client as the query shows it, and what to add to the depth of its class to get a scope.
struct Client {
    IpAddress address;
    bool from_subnet = false;
    std::uint8_t scope_base = 0;
};

Client client_of(const Context& context, const Query& query) {
    const dns::ClientSubnet& subnet = query.edns.subnet;
    // A source length of 0 asks not to use the client (RFC 7871 section 7.1.2).
    if (subnet.data.empty() || subnet.source_length() == 0) return {context.source};
    Client out{subnet.address(), true};
    // An IPv4-mapped address is looked up as IPv4; its scope counts in the 128 bits of the option.
    if (subnet.family() == 2 && out.address.family == Family::v4) out.scope_base = 96;
    return out;
}

/// Appends the addresses of a steered name. False when it has none for this client.
bool append_steered(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const Node& node,
    std::uint16_t type,
    std::uint16_t owner
) {
    context.counters.steered.add();
    const VariantSet& set =
        snapshot.variants(node.steered, type == dns::type::a ? Family::v4 : Family::v6);
    std::uint16_t client_class = 0;
    if (set.client_dependent) {
        const Client client = client_of(context, draft.query);
        const auto match = snapshot.prefixes().find(client.address);
        client_class = match.class_id;
        if (client.from_subnet)
            draft.scope = static_cast<std::uint8_t>(match.depth + client.scope_base);
    }
    const Variant& variant = set.variant(client_class);
    const Records& records =
        variant.draw_count == 0 ? variant.records : set.records(variant, context.random.next());
    if (records.count == 0) {
        draft.negative_ttl_s = variant.negative_ttl_s;
        return false;
    }
    std::uint8_t* const to = append(draft, set.bytes.data() + records.offset, records.size_bytes);
    take_as_answers(draft, to, records.size_bytes, records.count, owner);
    return true;
}

const Blob* find_blob(std::span<const Blob> blobs, std::uint16_t type) {
    for (const Blob& blob : blobs)
        if (blob.type == type) return &blob;
    return nullptr;
}

/// Appends the records of `type` at `node` under the owner. False: no data.
bool append_type(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const Node& node,
    std::uint16_t type,
    std::uint16_t owner
) {
    if (node.steered != zone::kNone && (type == dns::type::a || type == dns::type::aaaa))
        return append_steered(context, snapshot, draft, node, type, owner);
    const auto blobs = snapshot.index().blobs(node);
    const Blob* blob = find_blob(blobs, type);
    if (type == dns::type::any && !blobs.empty()) blob = &blobs.front();  // RFC 8482 section 4.1
    if (blob == nullptr) return false;
    std::uint8_t* const to = append(draft, snapshot.index(), *blob, node.name_bytes);
    take_as_answers(draft, to, blob->size_bytes, blob->records, owner);
    return true;
}

/// Follows CNAMEs inside the zone. Returns the node at the end, or null when the answer is complete
/// as it stands. `owner` becomes the pointer to the last target.
const Node* follow_chain(
    Draft& draft, const zone::Index& index, const Node* node, std::uint16_t& owner
) {
    const Node* seen[kMaxChain];
    for (unsigned length = 0; node->has_cname; ++length) {
        if (length == kMaxChain || std::find(seen, seen + length, node) != seen + length)
            return nullptr;  // a loop ends where it closes
        seen[length] = node;
        const Blob& blob = index.blobs(*node).front();
        std::uint8_t* const to = append(draft, index, blob, node->name_bytes);
        if (to == nullptr) return nullptr;
        if (owner != kOwnerIsQuestion) dns::store16(to, owner);
        ++draft.answers;
        owner = static_cast<std::uint16_t>(0xC000 | (to + 12 - draft.out));
        if (node->cname_end == zone::CnameEnd::name_error) {
            // The code is that of the end of the chain (RFC 6604 section 3).
            set_rcode(draft, Rcode::nx_domain);
            append_negative(draft, index, *node);
        }
        if (node->cname_end != zone::CnameEnd::node) return nullptr;
        node = &index.node(node->cname_next);
    }
    return node;
}

void append_node(const Context& context, const Snapshot& snapshot, Draft& draft, const Node* node) {
    const std::uint16_t type = draft.query.type;
    std::uint16_t owner = kOwnerIsQuestion;
    if (node->has_cname && type != dns::type::cname && type != dns::type::any) [[unlikely]] {
        node = follow_chain(draft, snapshot.index(), node, owner);
        if (node == nullptr) return;
    }
    if (append_type(context, snapshot, draft, *node, type, owner)) return;
    if (type == dns::type::any && node->steered != zone::kNone)
        for (const std::uint16_t address : {dns::type::a, dns::type::aaaa})
            if (append_type(context, snapshot, draft, *node, address, owner)) return;
    context.counters.no_data.add();
    append_negative(draft, snapshot.index(), *node);
}

/// Types that no zone has. True: `draft` has the rcode.
bool refuse_type(Draft& draft) {
    const std::uint16_t type = draft.query.type;
    if (type < 128 ? type != dns::type::opt : type >= dns::type::any) [[likely]]
        return false;
    switch (type) {
        case dns::type::axfr:
        case dns::type::ixfr:
            set_rcode(draft, Rcode::refused);
            break;
        case kTkey:
        case kMailb:
        case kMaila:
            set_rcode(draft, Rcode::not_imp);
            break;
        default:
            set_rcode(draft, Rcode::form_err);
            break;
    }
    return true;
}

void resolve(const Context& context, const Snapshot& snapshot, Draft& draft) {
    const Query& query = draft.query;
    if (query.klass != dns::kClassIn) return set_rcode(draft, Rcode::refused);
    if (refuse_type(draft)) [[unlikely]]
        return;
    dns::NameKey key;
    dns::make_key(query.name(), query.name_bytes, key);
    const zone::Index& index = snapshot.index();
    auto [kind, node] = index.match(key);
    if (kind == MatchKind::no_zone) return set_rcode(draft, Rcode::refused);
    const bool asks_parent = query.type == dns::type::ds && kind == MatchKind::exact;
    if (asks_parent && node->parent_side != zone::kNone) node = &index.node(node->parent_side);
    if (node->referral != zone::kNone && !(asks_parent && node->is_cut))
        return append_referral(context, draft, index, *node);
    draft.flags |= dns::flag::aa;
    if (kind == MatchKind::name_error) {
        set_rcode(draft, Rcode::nx_domain);
        return append_negative(draft, index, *node);
    }
    append_node(context, snapshot, draft, node);
}

std::size_t answer_bad_form(
    const Context& context, const Query& query, QueryForm form, std::span<std::uint8_t> reply
) {
    Counters& counters = context.counters;
    switch (form) {
        case QueryForm::drop:
            return counters.dropped.add(), 0;
        case QueryForm::bad_opcode:
            return header_only(query, Rcode::not_imp, counters, reply.data());
        case QueryForm::bad_header:
            return header_only(query, Rcode::form_err, counters, reply.data());
        default:
            break;
    }
    Query bare = query;  // its options are malformed or of another version
    bare.edns.subnet = {};
    Draft draft = start(context, bare, reply);
    if (form == QueryForm::bad_version)
        return finish(context, draft, static_cast<std::uint16_t>(Rcode::bad_vers));
    set_rcode(draft, Rcode::form_err);
    return finish(context, draft);
}

}  // namespace

std::size_t answer(
    const Context& context,
    const Snapshot& snapshot,
    std::span<const std::uint8_t> packet,
    std::span<std::uint8_t> reply
) noexcept {
    (context.transport == Transport::udp ? context.counters.udp : context.counters.tcp).add();
    if (reply.size() < kMinReplyBytes) return context.counters.dropped.add(), 0;
    Query query;
    const QueryForm form = dns::decode_query(packet, query);
    if (form != QueryForm::good) [[unlikely]]
        return answer_bad_form(context, query, form, reply);
    if (query.edns.present) context.counters.edns.add();
    if (!query.edns.subnet.data.empty()) context.counters.client_subnet.add();
    Draft draft = start(context, query, reply);
    resolve(context, snapshot, draft);
    return finish(context, draft);
}

}  // namespace twinsite::gslb::answer
