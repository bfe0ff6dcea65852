// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/transfer/error.hpp"
#include "gslb/transfer/records.hpp"

namespace twinsite::gslb::transfer {

/// From one version of a zone to a later one (RFC 1995 section 4). Both lists begin with the SOA of
/// their version. Pure.
struct Difference {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::vector<ZoneRecord> removed;
    std::vector<ZoneRecord> added;

    /// What it takes on the wire and on disk, roughly.
    std::size_t size_bytes() const;
    bool operator==(const Difference&) const = default;
};

/// Nullopt when nothing but, perhaps, the SOA differs and the serials are equal. A record whose TTL
/// differs is removed and added. Both zones have a SOA.
std::optional<Difference> find_difference(
    const zone::ZoneData& before, const zone::ZoneData& after
);

/// The zone after all differences. Each must begin where the one before ended, remove only what is
/// there and add only what is not: else not_incremental.
base::Result<zone::ZoneData> apply_differences(
    const zone::ZoneData& zone, std::span<const Difference> differences
);

}  // namespace twinsite::gslb::transfer
