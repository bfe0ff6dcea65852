// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/transfer/difference.hpp"
#include "gslb/transfer/error.hpp"
#include "gslb/zone/zone_data.hpp"

/// Zones and journals as bytes of a file: our own form, with a checksum, so that a damaged file is
/// seen as one. Pure.
namespace twinsite::gslb::transfer {

std::string encode_zone(const zone::ZoneData& zone);
/// Errors: malformed_file.
base::Result<zone::ZoneData> decode_zone(std::string_view bytes);

std::string encode_journal(
    const wire::dns::Name& origin, const std::vector<std::shared_ptr<const Difference>>& journal
);
/// Each begins where the one before ended. Errors: malformed_file, also for another zone's.
base::Result<std::vector<std::shared_ptr<const Difference>>> decode_journal(
    std::string_view bytes, const wire::dns::Name& origin
);

/// A file name without '/' that only this zone has: "example.net", "a%2fb.example".
std::string file_stem(const wire::dns::Name& origin);

}  // namespace twinsite::gslb::transfer
