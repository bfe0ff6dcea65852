// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gslb/zone/zone_data.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// Types as NSEC and NSEC3 list them (RFC 4034 section 4.1.2). `types` in any order, repeated or
/// not.
std::vector<std::uint8_t> encode_bitmap(std::vector<std::uint16_t> types);
/// Types of a bitmap, ascending; nullopt when it is malformed.
std::optional<std::vector<std::uint16_t>> decode_bitmap(std::span<const std::uint8_t> bitmap);

/// SHA-1 of a name without salt and extra iterations (RFC 5155 section 5, RFC 9276): 20 bytes.
std::string nsec3_hash(const wire::dns::Name& name);
/// Base32 with extended hex alphabet in lower case, without padding (RFC 5155 section 3.3).
std::string nsec3_label(std::string_view hash);

/// A name that the chain lists.
struct ChainName {
    wire::dns::Name name;
    std::vector<std::uint16_t> types;  ///< all but those that the chain itself brings
    bool has_signature = true;         ///< false: a cut without DS, or a name without records
};

/// One NSEC per name (RFC 4034 section 4). `names` in canonical order, the origin first, none
/// without records.
std::vector<RRset> make_nsec_chain(std::span<const ChainName> names, std::uint32_t ttl);
/// One NSEC3 per name, by hash (RFC 5155 section 7.1). `names` with those that only have names
/// below them. Empty when two names have one hash.
std::vector<RRset> make_nsec3_chain(
    std::span<const ChainName> names, const wire::dns::Name& origin, std::uint32_t ttl
);

/// The chain of a signed zone, to look into afterwards. Immutable.
class DenialChain {
public:
    /// `signed_zone` as sign_zone made it.
    explicit DenialChain(const ZoneData& signed_zone);

    const wire::dns::Name& origin() const { return origin_; }
    struct Link {
        wire::dns::Name owner;           ///< of the record itself
        std::uint16_t type = 0;          ///< NSEC or NSEC3
        std::uint32_t ttl = 0;           ///< seconds
        std::vector<std::uint8_t> head;  ///< rdata up to the bitmap
        std::vector<std::uint16_t> types;
    };
    /// That of `name` itself; null when the chain has none.
    const Link* find(const wire::dns::Name& name) const;

private:
    wire::dns::Name origin_;
    bool hashed_ = false;
    std::unordered_map<wire::dns::Name, Link> links_;  ///< by the owner of the record
};

}  // namespace twinsite::gslb::zone
