// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gslb/steering/plan.hpp"
#include "gslb/steering/rendezvous.hpp"
#include "gslb/zone/signature.hpp"

namespace twinsite::gslb::answer {

/// Records as they go out, owner 0xC00C.
struct Records {
    std::uint32_t offset = 0;  ///< in VariantSet::bytes
    std::uint16_t size_bytes = 0;
    std::uint16_t count = 0;
    /// RRSIG record of them in SteeredSignatures::bytes of the owner; none when the zone is not
    /// signed. For queries with DO.
    std::uint32_t signature_offset = 0;
    std::uint16_t signature_bytes = 0;
    std::uint16_t signature_count = 0;
};

/// One column of a table for drawing by weight in constant time (alias method, Walker 1974).
struct Draw {
    std::uint32_t threshold = 0;  ///< below it the column's own records, else those of `alias`
    std::uint32_t alias = 0;
    Records records;
};

/// One possible answer: fixed records, or a draw among several.
struct Variant {
    Records records;  ///< count 0: no data
    std::uint32_t first_draw = 0;
    std::uint32_t draw_count = 0;  ///< 0: `records` is the answer
    /// Bound of the TTL of "no data" for these clients, in seconds.
    std::uint32_t negative_ttl_s = 0xffffffff;
    std::uint32_t first_rank = 0;  ///< in VariantSet::ranks, one for each draw, when `sticky`
    bool sticky = false;           ///< the client's network draws, not chance
};

/// All answers of one policy for one type, one per class of clients; equal ones stored once.
struct VariantSet {
    bool client_dependent = false;    ///< false: the variant of class 0 is everybody's
    bool ignores_subnet = false;      ///< the source of the query is the client, whatever it says
    std::uint8_t sticky_bits_v4 = 0;  ///< the ECS scope is no shorter; 0: not sticky
    std::uint8_t sticky_bits_v6 = 0;
    std::vector<std::uint32_t> by_class;
    std::vector<Variant> variants;
    std::vector<Draw> draws;
    std::vector<steering::Ranked> ranks;
    std::vector<std::uint8_t> bytes;

    const Variant& variant(std::uint16_t client_class) const {
        return variants.data()[by_class.data()[client_class]];
    }
    /// The records for one query; `word` is a random one.
    const Records& records(const Variant& variant, std::uint64_t word) const {
        if (variant.draw_count == 0) return variant.records;
        const auto column =
            static_cast<std::uint32_t>((word >> 32) * std::uint64_t{variant.draw_count} >> 32);
        const Draw& draw = draws.data()[variant.first_draw + column];
        if (static_cast<std::uint32_t>(word) < draw.threshold) return draw.records;
        return draws.data()[variant.first_draw + draw.alias].records;
    }
    /// The records that a sticky variant keeps for a client.
    const Records& records_for(const Variant& variant, const base::text::IpAddress& client) const {
        const unsigned bits =
            client.family == base::text::Family::v4 ? sticky_bits_v4 : sticky_bits_v6;
        const std::size_t chosen = steering::choose_member(
            ranks.data() + variant.first_rank,
            variant.draw_count,
            steering::client_key(client, bits)
        );
        return draws.data()[variant.first_draw + chosen].records;
    }
};

/// Records that want a signature of each owner.
struct SigningSlot {
    zone::SignedContent content;
    std::uint32_t ttl_s = 0;  ///< as sent; at most the one that is signed
};

/// How the records of a set are signed, and which they are.
struct Signing {
    std::uint32_t original_ttl_s = 0;  ///< no answer has a higher TTL
    std::uint16_t record_bytes = 0;    ///< of one RRSIG record
    std::vector<SigningSlot> slots;    ///< filled by make_variants
};

/// Composes the answers of the plans, one per class.
/// `class_count` 0: as many as plans. `signing` may be null: then nothing is signed.
VariantSet make_variants(
    std::span<const steering::Plan> plans, std::size_t class_count = 0, Signing* signing = nullptr
);

}  // namespace twinsite::gslb::answer
