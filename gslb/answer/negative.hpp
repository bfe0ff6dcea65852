// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gslb/answer/draft.hpp"
#include "gslb/zone/index.hpp"
#include "gslb/zone/proof.hpp"

/// What an answer says about things that do not exist: the SOA, and in signed zones the proofs.
namespace twinsite::gslb::answer {

/// Appends the SOA of the node's zone as the first record of the authority section; with its
/// signatures when `with_proof` (and when the zone has any).
inline void append_negative(
    Draft& draft, const zone::Index& index, const zone::Node& node, bool with_proof = false
) {
    const zone::Zone& zone = index.zone(node);
    const zone::Blob& blob = zone.negative;
    std::uint8_t* const to = append(draft, index, blob, zone.origin_bytes);
    if (to == nullptr) return;
    constexpr std::size_t kTtlOffset = 6;  // behind the owner's pointer, type and class
    if (wire::dns::load32(to + kTtlOffset) > draft.negative_ttl_s)
        wire::dns::store32(to + kTtlOffset, draft.negative_ttl_s);
    draft.authorities = 1;
    if (!with_proof) return;
    const std::uint8_t* const from = index.bytes(blob) + blob.size_bytes;
    std::uint8_t* const signatures = append(draft, from, blob.signature_bytes);
    if (signatures == nullptr) return;
    for (std::size_t at = 0; at < blob.signature_bytes;
         at += 12 + std::size_t{wire::dns::load16(signatures + at + 10)}) {
        std::memcpy(signatures + at, to, 2);  // the SOA's owner
        std::memcpy(signatures + at + kTtlOffset, to + kTtlOffset, 4);
    }
    draft.authorities = static_cast<std::uint16_t>(1 + blob.signatures);
}

/// Behind it no compression pointer can reach (RFC 1035 section 4.1.4).
inline constexpr std::size_t kMaxPointer = 0x3fff;

/// Gives the signatures of a proof that was appended at `to`, out of reach, owners written out.
void write_far_owners(Draft& draft, const zone::Proof& proof, std::uint8_t* to, std::uint16_t apex);

/// Appends a proof of a zone whose origin has `origin_bytes` to the authority section.
inline void append_proof(Draft& draft, const zone::Proof& proof, std::size_t origin_bytes) {
    std::uint8_t* const to = append(draft, proof.bytes(), proof.size_bytes);
    if (to == nullptr) return;
    const auto apex = static_cast<std::uint16_t>(
        0xC000 | (wire::dns::kHeaderBytes + draft.query.name_bytes - origin_bytes)
    );
    wire::dns::store16(to + proof.label_bytes, apex);
    const auto place = static_cast<std::size_t>(to - draft.out);
    const auto owner = proof.label_bytes == 0 ? apex : static_cast<std::uint16_t>(0xC000 | place);
    draft.authorities = static_cast<std::uint16_t>(draft.authorities + proof.records);
    if (place > kMaxPointer) [[unlikely]]
        return write_far_owners(draft, proof, to, apex);
    for (std::size_t at = proof.first_signature_at; at < proof.size_bytes;
         at += 12 + std::size_t{wire::dns::load16(to + at + 10)})
        wire::dns::store16(to + at, owner);
}

}  // namespace twinsite::gslb::answer
