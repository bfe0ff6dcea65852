// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gslb/zone/zone_data.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::transfer {

/// One record of class IN as a value.
struct ZoneRecord {
    wire::dns::Name owner;
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
    std::vector<std::uint8_t> rdata;  ///< names uncompressed

    bool operator==(const ZoneRecord&) const = default;
};

/// The same without owning anything.
struct RecordView {
    const wire::dns::Name* owner = nullptr;
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
    std::span<const std::uint8_t> rdata;
};

inline RecordView view(const ZoneRecord& record) {
    return {&record.owner, record.type, record.ttl, record.rdata};
}
/// Record `index` of `set`. The TTL of a signature is that of what it signs: a set of RRSIG records
/// has no TTL of its own (RFC 4034 section 3).
RecordView view(const zone::RRset& set, std::size_t index);

/// The times of a SOA, in seconds.
struct Soa {
    std::uint32_t serial = 0;
    std::uint32_t refresh_s = 0;
    std::uint32_t retry_s = 0;
    std::uint32_t expire_s = 0;
};
/// From well-formed SOA rdata (at least 22 bytes); shorter gives zeros.
Soa read_soa(std::span<const std::uint8_t> rdata);

/// The SOA of a zone; null when it has none.
const zone::RRset* find_soa(const zone::ZoneData& zone);

}  // namespace twinsite::gslb::transfer
