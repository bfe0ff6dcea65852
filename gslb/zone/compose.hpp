// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gslb/zone/zone_data.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// The name that a blob's records belong to: where its question stands, and the zone's apex.
struct Frame {
    const wire::dns::Name& question;  ///< the blob is right for a question of this name
    const wire::dns::Name& suffix;  ///< at or above `question`; names that end in it are cut there
};

/// Bytes under composition, with the offsets of the pointers into the question's name that move
/// with its length. Offsets are relative to the start of `bytes`.
struct Composition {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> fixups;
};

/// More than this in one RRset cannot be answered even over TCP with question, CNAMEs and OPT.
inline constexpr std::size_t kMaxBlobBytes = 60'000;

/// What the owner 0xC00C of composed records means.
enum class Owner : std::uint8_t {
    question,  ///< the question's name, whatever it is
    above,     ///< the frame's name, which is at or above the question's: a fix-up
};

/// Appends the records of `set` with `ttl`. Names in the RDATA of the types of RFC 1035 are
/// compressed, no others (RFC 3597 section 4).
void compose_rrset(
    const RRset& set, std::uint32_t ttl, const Frame& frame, Owner owner, Composition& into
);

/// Appends records whose owner is written out, cut at the frame's suffix: glue.
void compose_glue(const RRset& set, const Frame& frame, Composition& into);

/// Whether the uncompressed RDATA of a type that carries names has the form it must have.
bool is_well_formed(std::uint16_t type, std::span<const std::uint8_t> rdata);

/// The host name in NS, CNAME, PTR and MX RDATA (uncompressed wire form), already checked.
wire::dns::Name target_name(std::uint16_t type, std::span<const std::uint8_t> rdata);

/// TTL of a negative answer: the smaller of the SOA's TTL and its MINIMUM (RFC 2308 section 3).
std::uint32_t negative_ttl(const RRset& soa);

}  // namespace twinsite::gslb::zone
