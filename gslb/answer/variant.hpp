// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gslb/steering/plan.hpp"

namespace twinsite::gslb::answer {

/// Address records as they go out, owner 0xC00C, all of one size.
struct Records {
    std::uint32_t offset = 0;  ///< in VariantSet::bytes
    std::uint16_t size_bytes = 0;
    std::uint16_t count = 0;
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
};

/// All answers of one policy in one family, one per class of clients; equal ones stored once.
struct VariantSet {
    bool client_dependent = false;  ///< false: the variant of class 0 is everybody's
    std::vector<std::uint32_t> by_class;
    std::vector<Variant> variants;
    std::vector<Draw> draws;
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
};

/// Composes the answers of the plans, one per class.
VariantSet make_variants(std::span<const steering::Plan> plans);

}  // namespace twinsite::gslb::answer
