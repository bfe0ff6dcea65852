// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gslb/config.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/zone/denial_chain.hpp"
#include "gslb/zone/key_book.hpp"
#include "gslb/zone/key_set.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "gslb/zone/variant_signer.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb {

/// A zone that is signed here, as it was signed last. Immutable but for its signer, which is the
/// loop's as soon as the part is in force.
struct SignedPart {
    DnssecConfig config;
    zone::KeyBook book;
    zone::RollTimes times;
    std::shared_ptr<const zone::KeySet> keys;
    std::shared_ptr<const zone::ZoneData> zone;
    std::shared_ptr<const zone::DenialChain> chain;
    std::shared_ptr<zone::VariantSigner> signer;
    std::size_t made = 0;           ///< signatures of the zone's own RRsets, this time
    std::size_t reused = 0;         ///< of those
    zone::UnixTime refresh_at = 0;  ///< of the zone's own RRsets
};
using SignedParts = std::vector<std::shared_ptr<const SignedPart>>;

/// What signing looks at beside the zone itself.
struct SigningInputs {
    zone::UnixTime now = 0;
    /// With the types that they can ever answer, see answerable_names().
    std::vector<zone::SteeredName> steered;
    std::uint32_t steered_ttl = 0;  ///< the largest of any steered name, in seconds
};

/// The steered names with the types for which some target has a record: a bitmap must not list
/// others, since "no data" could not be proved then.
std::vector<zone::SteeredName> answerable_names(
    const steering::Steering& steering, const std::vector<wire::dns::Name>& owners
);

/// Signs a zone with the keys of its folder, or says why not. The serial is that of `source`, or
/// one more than served before when something has changed and that of `source` is not ahead
/// (RFC 1982). `previous` may be null; `last_serial` is from before the start.
std::variant<std::shared_ptr<const SignedPart>, std::string> sign_part(
    const zone::ZoneData& source,
    const DnssecConfig& config,
    const SigningInputs& inputs,
    const SignedPart* previous,
    std::optional<std::uint32_t> last_serial
);

const SignedPart* find_part(const SignedParts& parts, const wire::dns::Name& origin);

/// Serials as served, by zone: secondaries would take a lower one for an old zone.
using Serials = std::vector<std::pair<std::string, std::uint32_t>>;
std::string encode_serials(const SignedParts& parts);
/// What cannot be read is left out.
Serials decode_serials(const std::string& text);

}  // namespace twinsite::gslb
