// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gslb/zone/zone_data.hpp"
#include "tests/support/dns_messages.hpp"

namespace twinsite::gslb::transfer {

/// t.example with this serial and more lines.
inline zone::ZoneData zone_with(std::uint32_t serial, std::string_view records = "") {
    return tests::zone_from_text(
        "t.example.",
        "t.example. 3600 SOA ns1.t.example. host.t.example. " + std::to_string(serial) +
            " 10 3 40 60\nt.example. 3600 NS ns1.t.example.\nns1.t.example. 60 A 192.0.2.1\n" +
            std::string(records)
    );
}

inline std::shared_ptr<const zone::ZoneData> shared_zone(
    std::uint32_t serial, std::string_view records = ""
) {
    return std::make_shared<const zone::ZoneData>(zone_with(serial, records));
}

}  // namespace twinsite::gslb::transfer
