// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/records.hpp"

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {

namespace dns = wire::dns;

RecordView view(const zone::RRset& set, std::size_t index) {
    const auto& rdata = set.rdatas[index];
    RecordView out{&set.owner, set.type, set.ttl, rdata};
    constexpr std::size_t kOriginalTtl = 4;  // RFC 4034 section 3.1
    if (set.type == dns::type::rrsig && rdata.size() >= kOriginalTtl + 4)
        out.ttl = dns::load32(rdata.data() + kOriginalTtl);
    return out;
}

Soa read_soa(std::span<const std::uint8_t> rdata) {
    constexpr std::size_t kNumbers = 20;  // behind the two names
    if (rdata.size() < kNumbers + 2) return {};
    const std::uint8_t* const at = rdata.data() + rdata.size() - kNumbers;
    return {dns::load32(at), dns::load32(at + 4), dns::load32(at + 8), dns::load32(at + 12)};
}

const zone::RRset* find_soa(const zone::ZoneData& zone) {
    for (const auto& set : zone.rrsets)
        if (set.type == dns::type::soa && !set.rdatas.empty()) return &set;
    return nullptr;
}

}  // namespace twinsite::gslb::transfer
