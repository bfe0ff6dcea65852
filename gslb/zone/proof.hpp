// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gslb/zone/arena.hpp"

namespace twinsite::gslb::zone {

/// One NSEC or NSEC3 record with its signatures, ready for the authority section. Its bytes follow
/// in memory: the owner's labels below the apex, a pointer to the apex, the record; then each RRSIG
/// with a pointer as owner. The pointers are written when the place in the message is known.
struct Proof {
    std::uint16_t size_bytes = 0;          ///< of all records
    std::uint16_t label_bytes = 0;         ///< of the owner's labels in front of the apex pointer
    std::uint16_t first_signature_at = 0;  ///< offset of the first RRSIG
    std::uint16_t records = 0;

    const std::uint8_t* bytes() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(this + 1);
    }
};
static_assert(sizeof(Proof) == Arena::kWordBytes && std::is_trivially_copyable_v<Proof>);

/// What one node of a signed zone shows about itself; places of Proofs.
struct NodeProofs {
    /// NSEC: the record of this name, or the one that covers this empty non-terminal. NSEC3: the
    /// one that matches this name or, where opt-out left it out, its closest provable encloser.
    Arena::Place own;
    /// NSEC3 with opt-out only: covers the next closer name below the owner of `own`. Else kNone.
    Arena::Place above;
    /// Covers the name "*." below this one (matches it when there is one).
    Arena::Place wildcard;
};
static_assert(std::is_trivially_copyable_v<NodeProofs>);

}  // namespace twinsite::gslb::zone
