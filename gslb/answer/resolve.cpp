// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/resolve.hpp"

#include <algorithm>

#include "gslb/answer/steered.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using dns::Query;
using dns::Rcode;
using zone::Blob;
using zone::Node;
using MatchKind = zone::Index::MatchKind;

/// A chain longer than this is answered as far as it goes; the resolver asks on.
constexpr unsigned kMaxChain = 16;

/// Types of 128..255 that are defined and that we do not do (RFC 6895 section 3.1).
constexpr std::uint16_t kTkey = 249;
constexpr std::uint16_t kMailb = 253;
constexpr std::uint16_t kMaila = 254;

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
    if (referral.blob.records == 0) [[unlikely]]
        return set_rcode(draft, Rcode::serv_fail);
    append(draft, index, referral.blob, referral.name_bytes);
    draft.authorities = referral.blob.records;
    draft.additionals = referral.additional;
    context.counters.referral.add();
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
    if (node.steered != zone::kNone) {
        const VariantSet* const set = snapshot.variants(node.steered, type);
        if (set != nullptr) {
            draft.steered = node.steered;
            return append_steered(context, snapshot, draft, *set, owner);
        }
    }
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
    if (kind == MatchKind::name_error) {
        set_rcode(draft, Rcode::nx_domain);
        return append_negative(draft, index, *node);
    }
    append_node(context, snapshot, draft, node);
}

}  // namespace twinsite::gslb::answer
