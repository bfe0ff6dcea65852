// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gslb/zone/key_set.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "gslb/zone/zone_data.hpp"

/// Zones and keys for the tests of signing, and ldns as the judge of what was made.
namespace twinsite::gslb::zone::test {

inline constexpr UnixTime kNow = 1'800'000'000;

/// The zone example.net. of this text behind a SOA (minimum 60, TTL 3600), NS and address.
ZoneData load_zone(const std::string& text);

ZoneKey make_key(std::uint16_t flags);
/// A KSK and a ZSK, both here.
KeySet make_keys();

const RRset* find_set(const ZoneData& zone, const std::string& owner, std::uint16_t type);
/// Rdata of the RRSIGs that cover the RRset.
std::vector<std::vector<std::uint8_t>> signatures_of(
    const ZoneData& zone, const std::string& owner, std::uint16_t type
);
/// The types of the owner's NSEC or NSEC3 as text: "A NS SOA".
std::string bitmap_of(const ZoneData& zone, const std::string& owner);

/// What ldns has against the zone at `now`: every RRset of an authoritative name needs a valid
/// signature by a key of the DNSKEY RRset. Empty: nothing.
std::vector<std::string> judge(const ZoneData& zone, UnixTime now);
/// What ldns has against one RRset and its RRSIG.
std::string judge_set(
    const RRset& set, const std::vector<std::uint8_t>& rrsig, const ZoneKey& key, UnixTime now
);

}  // namespace twinsite::gslb::zone::test
