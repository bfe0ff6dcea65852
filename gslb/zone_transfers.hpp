// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gslb/config.hpp"
#include "gslb/transfer/settings.hpp"
#include "gslb/zone/zone_data.hpp"

/// From the configuration to gslb/transfer.
namespace twinsite::gslb {

/// The keys of `config.tsig_keys`, in their order, with their secrets read. Findings are at the
/// places of the secrets' files.
std::vector<transfer::KeyPointer> read_tsig_keys(const Config& config, const ConfigPlaces& places);

/// What a steered name has for those who do not steer, such as a plain secondary. For each type
/// that the name answers, the records of all targets of the first site (in default order) that has
/// any, with the policy's highest TTL.
std::vector<zone::RRset> default_rrsets(const Config& config);

/// Whether somebody else may have the zone.
bool is_transferable(const ZoneConfig& zone);

/// `zone` with the default records of the steered names that are its own, in place of what it has
/// of the same owners and types. What a signed zone has of them stays: its signatures fit that.
zone::ZoneData with_defaults(
    zone::ZoneData zone, std::span<const zone::RRset> defaults, const Config& config
);

/// `served` are the zones by their place in `config.zones`; null: not available.
transfer::Settings transfer_settings(
    const Config& config,
    const std::vector<transfer::KeyPointer>& keys,
    const std::vector<std::shared_ptr<const zone::ZoneData>>& served,
    std::vector<zone::SteeredName> steered
);

}  // namespace twinsite::gslb
