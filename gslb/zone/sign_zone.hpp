// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gslb/zone/key_set.hpp"
#include "gslb/zone/signature.hpp"
#include "gslb/zone/steered_name.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::zone {

enum class Denial : std::uint8_t { nsec, nsec3 };

struct SignParameters {
    SignatureTimes times;
    Denial denial = Denial::nsec;  ///< nsec3: no extra iterations, no salt, no opt-out (RFC 9276)
    /// Names below the origin with all types they can answer by steering: the bitmaps list them.
    std::span<const SteeredName> steered;
};

struct SignedZone {
    std::optional<ZoneData> zone;  ///< empty exactly when there is a problem
    std::string problem;           ///< a sentence
    std::size_t made = 0;          ///< signatures
    std::size_t reused = 0;
    UnixTime refresh_at = 0;  ///< when the first signature wants to be made anew
};

/// The zone with DNSKEY, CDS, CDNSKEY, a chain of NSEC or NSEC3 and a signature for every RRset
/// that is authoritative (RFC 4035 section 2). What `unsigned_zone` itself has of these types is
/// left out, but for DS. Signatures of `previous` (may be null: the result of an earlier call) that
/// are still fresh, of the same key and of the same content are taken over.
/// The serial is that of `unsigned_zone`; see `with_serial`. Pure.
SignedZone sign_zone(
    const ZoneData& unsigned_zone,
    const KeySet& keys,
    const SignParameters& parameters,
    const ZoneData* previous = nullptr
);

/// The same zone with another serial in its SOA.
ZoneData with_serial(ZoneData zone, std::uint32_t serial);

}  // namespace twinsite::gslb::zone
