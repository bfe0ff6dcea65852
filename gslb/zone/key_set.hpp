// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/crypto/ecdsa.hpp"
#include "base/error/result.hpp"

namespace twinsite::gslb::zone {

inline constexpr std::uint8_t kEcdsaP256Sha256 = 13;  // RFC 6605 section 4

namespace key_flag {
inline constexpr std::uint16_t zone = 0x0100;          // RFC 4034 section 2.1.1
inline constexpr std::uint16_t secure_entry = 0x0001;  // a KSK, or a key for everything (CSK)
}  // namespace key_flag

/// One key of a zone and what it does at this moment.
struct ZoneKey {
    std::uint16_t flags = key_flag::zone;
    base::crypto::EcdsaPublicKey public_key{};
    /// Null: kept elsewhere, so this key cannot sign here.
    std::shared_ptr<const base::crypto::EcdsaKey> secret;
    bool published = true;    ///< stands in the DNSKEY RRset
    bool signs_keys = false;  ///< signs the DNSKEY RRset (and CDS, CDNSKEY)
    bool signs_data = false;  ///< signs everything else
    bool announced = false;   ///< stands in CDS and CDNSKEY (RFC 7344)

    bool is_secure_entry() const { return (flags & key_flag::secure_entry) != 0; }
    /// Rdata of its DNSKEY (RFC 4034 section 2.1).
    std::vector<std::uint8_t> dnskey() const;
    /// RFC 4034 appendix B.
    std::uint16_t tag() const;
    /// Rdata of its DS for the zone `origin` (lowered), digest SHA-256 (RFC 4509).
    std::vector<std::uint8_t> ds(const std::vector<std::uint8_t>& origin) const;
};

/// The keys of one zone at one moment. Values, shared by all who sign; never changed once made.
struct KeySet {
    std::vector<ZoneKey> keys;
    /// Rdata of RRSIGs made elsewhere by a KSK that is not here: of DNSKEY, CDS or CDNSKEY.
    std::vector<std::vector<std::uint8_t>> premade;
    std::uint32_t dnskey_ttl = 3600;  ///< seconds; also of CDS and CDNSKEY

    /// The one key that signs data: rolls publish before they switch, so there are never two.
    /// Null when none can.
    const ZoneKey* data_key() const;
    /// What makes it unfit to sign a zone, as a sentence; empty when nothing does.
    std::string problem() const;
};

}  // namespace twinsite::gslb::zone
