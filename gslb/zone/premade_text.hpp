// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "gslb/zone/signature.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// RRSIG records in master-file form, all of the zone's own name: signatures of its keys that were
/// made where the KSK is. Their rdata, or "LINE: what is wrong".
std::variant<Rdatas, std::string> read_premade(std::string_view text, const wire::dns::Name& zone);

}  // namespace twinsite::gslb::zone
