// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/rate_limit.hpp"

#include <algorithm>
#include <bit>

#include "wire/dns/bytes.hpp"

namespace twinsite::gslb::server {

namespace {

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

/// The first `bits` (1..64) of the address, as a number.
std::uint64_t network_of(const base::text::IpAddress& client, unsigned bits) {
    return wire::dns::load64(client.bytes.data()) & ~std::uint64_t{0} << (64 - bits);
}

}  // namespace

void RateTable::set_limit(const RateLimit& limit) {
    limit_ = limit;
    if (!is_on()) {
        sets_ = {};
        return;
    }
    const std::size_t sets = std::bit_ceil(std::max<std::size_t>(limit.table_entries / kWays, 1));
    if (sets != sets_.size()) sets_.assign(sets, {});
    mask_ = sets - 1;
}

std::uint64_t RateTable::hash(const base::text::IpAddress& client, answer::Outcome::Kind kind)
    const {
    const bool v4 = client.family == base::text::Family::v4;
    const unsigned bits = v4 ? limit_.v4_prefix_bits : limit_.v6_prefix_bits;
    const std::uint64_t family_and_kind = static_cast<std::uint64_t>(kind) << 1 | (v4 ? 1 : 0);
    return mix(mix(network_of(client, bits) ^ secret_) + family_and_kind);
}

RateTable::Entry& RateTable::find(Set& set, std::uint32_t tag, std::uint32_t now_s) {
    Entry* least = set.data();
    for (Entry& entry : set) {
        if (entry.tag == tag) {
            if (entry.second != now_s) entry = {tag, now_s, 0};
            return entry;
        }
        const bool idle = entry.second != now_s;
        const bool least_idle = least->second != now_s;
        if (idle != least_idle ? idle : entry.replies < least->replies) least = &entry;
    }
    *least = {tag, now_s, 0};
    return *least;
}

RateTable::Verdict RateTable::count(
    const base::text::IpAddress& client, answer::Outcome::Kind kind, std::uint32_t now_s
) {
    const std::uint64_t place = hash(client, kind);
    Entry& entry = find(sets_[place & mask_], static_cast<std::uint32_t>(place >> 32), now_s);
    if (++entry.replies <= limit_.per_second) return Verdict::send;
    const std::uint32_t over = entry.replies - limit_.per_second;
    return limit_.slip != 0 && over % limit_.slip == 0 ? Verdict::cut : Verdict::drop;
}

}  // namespace twinsite::gslb::server
