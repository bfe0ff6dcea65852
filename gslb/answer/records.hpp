// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gslb/answer/draft.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/answer/steered.hpp"
#include "gslb/zone/index.hpp"
#include "wire/dns/bytes.hpp"

/// The records of one node in the answer section. In the header for the same reason as the draft.
namespace twinsite::gslb::answer {

/// A chain longer than this is answered as far as it goes; the resolver asks on.
inline constexpr unsigned kMaxChain = 16;

inline const zone::Blob* find_blob(std::span<const zone::Blob> blobs, std::uint16_t type) {
    for (const zone::Blob& blob : blobs)
        if (blob.type == type) return &blob;
    return nullptr;
}

/// Whether a question of this type goes on at the target of an alias; the others are about the
/// alias itself (RFC 1034 section 3.6.2, RFC 4034 sections 3 and 4).
inline bool is_followed(std::uint16_t type) {
    return type != wire::dns::type::cname && type != wire::dns::type::any &&
           type != wire::dns::type::rrsig && type != wire::dns::type::nsec;
}

/// Whether the node is an alias, by the zone or by steering.
inline bool has_alias(const zone::Index& index, const zone::Node& node) {
    return node.has_cname ||
           (node.steered != zone::kNone &&
            (index.steered_types(node) & zone::steerable_bit(wire::dns::type::cname)) != 0);
}

/// Appends a blob of the node under the owner, with its signatures for those who ask for them.
inline void append_blob(
    Draft& draft,
    const zone::Index& index,
    const zone::Node& node,
    const zone::Blob& blob,
    std::uint16_t owner
) {
    const bool with_signatures = draft.query.edns.dnssec_ok && blob.signatures != 0;
    std::size_t size = blob.size_bytes;
    std::size_t records = blob.records;
    if (with_signatures) [[unlikely]] {
        size += blob.signature_bytes;  // they stand right behind
        records += blob.signatures;
    }
    std::uint8_t* const to = append(draft, index.bytes(blob), size);
    if (to == nullptr) return;
    const std::size_t moved = draft.query.name_bytes - std::size_t{node.name_bytes};
    if (moved != 0)
        for (const std::uint16_t fixup : index.fixups(blob))
            wire::dns::store16(
                to + fixup, static_cast<std::uint16_t>(wire::dns::load16(to + fixup) + moved)
            );
    take_as_answers(draft, to, size, records, owner);
}

/// All signatures of the node, but those of one type. False: there are none.
bool append_signatures(
    Draft& draft,
    const zone::Index& index,
    const zone::Node& node,
    std::uint16_t owner,
    std::uint16_t but_type = 0
);

/// Appends the records of `type` at `node` under the owner. False: no data.
inline bool append_type(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const zone::Node& node,
    std::uint16_t type,
    std::uint16_t owner
) {
    const zone::Index& index = snapshot.index();
    if (node.steered != zone::kNone) {
        const VariantSet* const set = snapshot.variants(node.steered, type);
        if (set != nullptr) {
            draft.steered = node.steered;
            return append_steered(context, snapshot, draft, *set, node, type, owner);
        }
    }
    const auto blobs = index.blobs(node);
    const zone::Blob* blob = find_blob(blobs, type);
    if (blob == nullptr) {
        if (type == wire::dns::type::rrsig) return append_signatures(draft, index, node, owner);
        if (type != wire::dns::type::any || blobs.empty()) return false;
        blob = &blobs.front();  // RFC 8482 section 4.1
    }
    append_blob(draft, index, node, *blob, owner);
    return true;
}

/// The first of the steered types that has records now. False: none has.
bool append_any_steered(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const zone::Node& node,
    std::uint16_t owner
);

/// Appends what the question asks of the node. False: no data.
inline bool append_asked(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const zone::Node& node,
    std::uint16_t owner
) {
    const std::uint16_t type = draft.query.type;
    if (append_type(context, snapshot, draft, node, type, owner)) return true;
    if (type == wire::dns::type::any && node.steered != zone::kNone) [[unlikely]]
        return append_any_steered(context, snapshot, draft, node, owner);
    return false;
}

}  // namespace twinsite::gslb::answer
