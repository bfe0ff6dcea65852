// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/text/ip.hpp"
#include "gslb/answer/draft.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/answer/variant.hpp"

/// The records of steered names for the client that a query shows. In the header for the same
/// reason as the draft.
namespace twinsite::gslb::answer {

/// The client as the query shows it, and what to add to the depth of its class to get a scope.
struct Client {
    base::text::IpAddress address;
    bool from_subnet = false;
    std::uint8_t scope_base = 0;
};

inline Client client_of(
    const Context& context, const wire::dns::Query& query, bool ignores_subnet
) {
    const wire::dns::ClientSubnet& subnet = query.edns.subnet;
    // A source length of 0 asks not to use the client (RFC 7871 section 7.1.2).
    if (subnet.data.empty() || subnet.source_length() == 0 || ignores_subnet)
        return {context.source};
    Client out{subnet.address(), true};
    // An IPv4-mapped address is looked up as IPv4; its scope counts in the 128 bits of the option.
    if (subnet.family() == 2 && out.address.family == base::text::Family::v4) out.scope_base = 96;
    return out;
}

/// What a variant draws: by chance, or by the client.
inline const Records& drawn(
    const Context& context, const Draft& draft, const VariantSet& set, const Variant& variant
) {
    if (!variant.sticky) return set.records(variant, context.random.next());
    return set.records_for(variant, client_of(context, draft.query, set.ignores_subnet).address);
}

/// What proves that a steered name has no record of a type now; null: the zone's own proof.
inline const zone::Proof* denial_of(const SteeredSignatures* from) {
    if (from == nullptr || from->denial.empty()) return nullptr;
    return reinterpret_cast<const zone::Proof*>(from->denial.data());
}

/// Appends the signature of steered records.
inline void append_signatures(
    const SteeredSignatures* from, Draft& draft, const Records& records, std::uint16_t owner
) {
    if (from == nullptr || from->bytes.empty()) return;
    const std::uint8_t* const bytes = from->bytes.data() + records.signature_offset;
    std::uint8_t* const to = append(draft, bytes, records.signature_bytes);
    take_as_answers(draft, to, records.signature_bytes, records.signature_count, owner);
}

/// Appends the records of a steered name for the client of the query. False when it has none.
inline bool append_steered(
    const Context& context,
    const Snapshot& snapshot,
    Draft& draft,
    const VariantSet& set,
    const zone::Node& node,
    std::uint16_t type,
    std::uint16_t owner
) {
    context.counters.steered.add();
    std::uint16_t client_class = 0;
    if (set.client_dependent) {
        const Client client = client_of(context, draft.query, set.ignores_subnet);
        const auto match = client.from_subnet ? snapshot.prefixes().find(client.address)
                                              : snapshot.prefixes().find_source(client.address);
        client_class = match.class_id;
        if (client.from_subnet) {
            const std::uint8_t least = client.address.family == base::text::Family::v4
                                           ? set.sticky_bits_v4
                                           : set.sticky_bits_v6;
            draft.scope =
                static_cast<std::uint8_t>(std::max(match.depth, least) + client.scope_base);
        }
    }
    const Variant& variant = set.variant(client_class);
    draft.client_class = client_class;
    draft.variant = static_cast<std::uint32_t>(&variant - set.variants.data());
    const Records& records =
        variant.draw_count == 0 ? variant.records : drawn(context, draft, set, variant);
    if (records.count == 0) {
        draft.negative_ttl_s = variant.negative_ttl_s;
        if (draft.query.edns.dnssec_ok) [[unlikely]]
            draft.denial = denial_of(snapshot.signatures(node.steered, type));
        return false;
    }
    std::uint8_t* const to = append(draft, set.bytes.data() + records.offset, records.size_bytes);
    take_as_answers(draft, to, records.size_bytes, records.count, owner);
    if (records.signature_bytes != 0 && draft.query.edns.dnssec_ok) [[unlikely]]
        append_signatures(snapshot.signatures(node.steered, type), draft, records, owner);
    return true;
}

}  // namespace twinsite::gslb::answer
