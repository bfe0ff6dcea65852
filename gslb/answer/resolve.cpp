// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/resolve.hpp"

#include <algorithm>

#include "gslb/answer/negative.hpp"
#include "gslb/answer/records.hpp"
#include "gslb/answer/walk.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using dns::Query;
using dns::Rcode;
using zone::Blob;
using zone::Node;
using MatchKind = zone::Index::MatchKind;

/// Types of 128..255 that are defined and that we do not do (RFC 6895 section 3.1).
constexpr std::uint16_t kTkey = 249;
constexpr std::uint16_t kMailb = 253;
constexpr std::uint16_t kMaila = 254;

/// The part of a referral up to `size` bytes. Its fix-ups come in the order of their offsets.
void append_part(
    Draft& draft,
    const zone::Index& index,
    const zone::Referral& referral,
    const Blob& blob,
    std::size_t size
) {
    std::uint8_t* const to = append(draft, index.bytes(blob), size);
    if (to == nullptr) return;
    const std::size_t moved = draft.query.name_bytes - std::size_t{referral.name_bytes};
    if (moved == 0) return;
    for (const std::uint16_t fixup : index.fixups(blob)) {
        if (fixup >= size) break;
        dns::store16(to + fixup, static_cast<std::uint16_t>(dns::load16(to + fixup) + moved));
    }
}

void append_referral(
    const Context& context, Draft& draft, const zone::Index& index, const Node& node
) {
    const zone::Referral& referral = index.referral(node);
    if (referral.plain.blob.records == 0) [[unlikely]]
        return set_rcode(draft, Rcode::serv_fail);
    const bool with_proof = draft.query.edns.dnssec_ok && referral.with_proof.blob.size_bytes != 0;
    const zone::ReferralPart& part = with_proof ? referral.with_proof : referral.plain;
    // Addresses that the resolver can find elsewhere give way (RFC 9471 section 3).
    const bool fits = part.blob.size_bytes <= draft.limit - draft.at;
    append_part(draft, index, referral, part.blob, fits ? part.blob.size_bytes : part.needed_bytes);
    draft.authorities = part.blob.records;
    draft.additionals = fits ? part.additional : part.needed_additional;
    context.counters.referral.add();
}

/// Follows CNAMEs inside the zone. Returns the node at the end, or null when the answer is complete
/// as it stands. `owner` becomes the pointer to the last target.
const Node* follow_chain(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const Node* node,
    std::uint16_t& owner
) {
    const zone::Index& index = snapshot.index();
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
        if (node->cname_end == zone::CnameEnd::searched)
            Walk(context, snapshot, draft).from_target(*node, owner);
        if (node->cname_end != zone::CnameEnd::node) return nullptr;
        node = &index.node(node->cname_next);
        if (!node->has_cname && has_alias(index, *node)) {
            Walk(context, snapshot, draft).from_target(*seen[length], owner);
            return nullptr;
        }
    }
    return node;
}

void append_node(const Context& context, const Snapshot& snapshot, Draft& draft, const Node* node) {
    std::uint16_t owner = kOwnerIsQuestion;
    if (node->has_cname && is_followed(draft.query.type)) [[unlikely]] {
        node = follow_chain(context, snapshot, draft, node, owner);
        if (node == nullptr) return;
    }
    if (append_asked(context, snapshot, draft, *node, owner)) return;
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
            draft.why = dns::ExtendedError::prohibited;
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

/// Signatures and proofs, DNAME, steered and wildcard CNAME are not for the short ways.
bool takes_the_whole_way(
    const Draft& draft, const zone::Index& index, MatchKind kind, const Node& node
) {
    if (draft.query.edns.dnssec_ok && node.proofs != zone::kNone) return true;
    if (kind == MatchKind::name_error) return node.has_dname;
    if (node.has_cname && node.is_wildcard()) return true;  // may lead to itself
    return node.steered != zone::kNone && has_alias(index, node);
}

}  // namespace

void resolve(const Context& context, const Snapshot& snapshot, Draft& draft) {
    const Query& query = draft.query;
    if (query.klass != dns::kClassIn) {
        draft.why = dns::ExtendedError::not_supported;
        return set_rcode(draft, Rcode::refused);
    }
    if (refuse_type(draft)) [[unlikely]]
        return;
    dns::NameKey key;
    dns::make_key(query.name(), query.name_bytes, key);
    const zone::Index& index = snapshot.index();
    auto [kind, node] = index.match(key);
    if (kind == MatchKind::no_zone) [[unlikely]] {
        draft.why = dns::ExtendedError::not_authoritative;
        return set_rcode(draft, Rcode::refused);
    }
    const bool asks_parent = query.type == dns::type::ds && kind == MatchKind::exact;
    if (asks_parent && node->parent_side != zone::kNone) node = &index.node(node->parent_side);
    if (node->referral != zone::kNone && !(asks_parent && node->is_cut))
        return append_referral(context, draft, index, *node);
    draft.flags |= dns::flag::aa;
    if (takes_the_whole_way(draft, index, kind, *node)) [[unlikely]]
        return Walk(context, snapshot, draft).from_question(key, {kind, node});
    if (kind == MatchKind::name_error) {
        set_rcode(draft, Rcode::nx_domain);
        return append_negative(draft, index, *node);
    }
    append_node(context, snapshot, draft, node);
}

}  // namespace twinsite::gslb::answer
