// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gslb/answer/variant.hpp"
#include "gslb/zone/variant_signer.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::answer {

/// What a signed zone adds to a VariantSet for one owner: policies with the same answers share the
/// set, but each owner has signatures of its own.
struct SteeredSignatures {
    /// RRSIG records, owner 0xC00C: Records::signature_offset and signature_bytes count here.
    /// Empty when there are none.
    std::vector<std::uint8_t> bytes;
    /// Proof that the owner has no record of the type: a zone::Proof with its bytes behind it, in
    /// the alignment that it wants. Empty when the zone's own proof holds.
    std::vector<std::uint64_t> denial;
};

/// Size of an RRSIG record with owner 0xC00C by the keys of this zone.
std::uint16_t signature_record_bytes(const wire::dns::Name& zone);

/// Signs all that `set` can answer for `owner`. `set` was made with `signing`, for the type.
/// False: something could not be signed, and the result has no signatures.
bool sign_variants(
    const wire::dns::Name& owner,
    std::uint16_t type,
    const VariantSet& set,
    const Signing& signing,
    zone::VariantSigner& signer,
    SteeredSignatures& out
);

}  // namespace twinsite::gslb::answer
