// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/text.hpp"
#include "gslb/config_parts.hpp"

namespace twinsite::gslb::config_parts {

namespace {

using base::config::Cursor;
using std::chrono::milliseconds;
using std::chrono::seconds;

seconds parse_seconds(
    Cursor& at, std::string_view key, seconds least, seconds most, seconds fallback
) {
    const auto found =
        at.in_range(key, milliseconds(least), milliseconds(most), milliseconds(fallback));
    return std::chrono::duration_cast<seconds>(found);
}

}  // namespace

DnssecConfig parse_dnssec(Cursor at) {
    constexpr seconds kHour(3'600);
    constexpr seconds kDay(86'400);
    DnssecConfig out;
    auto keys = at.child("keys");
    out.keys = resolved(keys, keys.value<std::string>());
    out.hashed_denial = at.one_of("denial", {"nsec", "nsec3"}, 0) == 1;
    out.validity = parse_seconds(at, "validity", kDay, 60 * kDay, out.validity);
    // Half of the validity is left when a signature is made anew: a site can be alone that long.
    out.refresh = parse_seconds(at, "refresh", kHour, out.validity - kHour, out.validity / 2);
    out.jitter = std::min(kDay, (out.validity - out.refresh) / 4);
    out.dnskey_ttl = parse_seconds(at, "dnskey_ttl", seconds(1), 7 * kDay, out.dnskey_ttl);
    out.propagation = parse_seconds(at, "propagation", seconds(0), kDay, out.propagation);
    out.ds_ttl = parse_seconds(at, "ds_ttl", seconds(1), 7 * kDay, out.ds_ttl);
    at.finish();
    return out;
}

}  // namespace twinsite::gslb::config_parts
