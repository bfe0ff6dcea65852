// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// Records of one owner and type. Their TTL is one (RFC 2181 section 5.2).
struct RRset {
    wire::dns::Name owner;
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;                          ///< seconds
    std::vector<std::vector<std::uint8_t>> rdatas;  ///< wire form, names uncompressed
};

/// One zone as a loader hands it over: plain values, checked by the loader. Class IN.
struct ZoneData {
    wire::dns::Name origin;
    std::uint32_t serial = 0;   ///< of the SOA
    std::vector<RRset> rrsets;  ///< each (owner, type) once; the SOA and NS of the origin included
};

}  // namespace twinsite::gslb::zone
