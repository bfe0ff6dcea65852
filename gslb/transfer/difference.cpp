// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/difference.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {

namespace {

using wire::dns::Name;
using zone::RRset;
using zone::ZoneData;
namespace type = wire::dns::type;

struct Key {
    Name owner;
    std::uint16_t type = 0;
    bool operator==(const Key&) const = default;
};
struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
        return std::hash<Name>()(key.owner) * 31 + key.type;
    }
};
template <class T>
using ByKey = std::unordered_map<Key, T, KeyHash>;

ZoneRecord record_of(const RRset& set, std::size_t index) {
    const RecordView from = view(set, index);
    return {set.owner, set.type, from.ttl, set.rdatas[index]};
}

bool has(const RRset* set, const ZoneRecord& record) {
    if (set == nullptr) return false;
    for (std::size_t i = 0; i < set->rdatas.size(); ++i)
        if (set->rdatas[i] == record.rdata) return view(*set, i).ttl == record.ttl;
    return false;
}

/// The records of `set` that `other` (may be null) does not have.
void append_missing(const RRset& set, const RRset* other, std::vector<ZoneRecord>& to) {
    for (std::size_t i = 0; i < set.rdatas.size(); ++i) {
        auto record = record_of(set, i);
        if (!has(other, record)) to.push_back(std::move(record));
    }
}

/// A zone whose sets can be found, changed and emptied.
class Patient {
public:
    Patient(const ZoneData& zone, std::span<const Difference> differences) : zone_(zone) {
        const auto touch = [&](const std::vector<ZoneRecord>& records) {
            for (const auto& record : records)
                places_.emplace(Key{record.owner, record.type}, kNone);
        };
        for (const auto& difference : differences) {
            touch(difference.removed);
            touch(difference.added);
        }
        for (std::size_t i = 0; i < zone_.rrsets.size(); ++i) {
            const auto found = places_.find({zone_.rrsets[i].owner, zone_.rrsets[i].type});
            if (found != places_.end()) found->second = i;
        }
    }

    bool apply(const Difference& difference) {
        if (difference.from != zone_.serial) return false;
        const auto remove_one = [this](const ZoneRecord& record) { return remove(record); };
        const auto add_one = [this](const ZoneRecord& record) { return add(record); };
        zone_.serial = difference.to;
        return std::all_of(difference.removed.begin(), difference.removed.end(), remove_one) &&
               std::all_of(difference.added.begin(), difference.added.end(), add_one);
    }

    ZoneData take() && {
        std::erase_if(zone_.rrsets, [](const RRset& set) { return set.rdatas.empty(); });
        return std::move(zone_);
    }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    bool remove(const ZoneRecord& record) {
        const std::size_t place = places_.at({record.owner, record.type});
        if (place == kNone) return false;
        auto& rdatas = zone_.rrsets[place].rdatas;
        const auto found = std::find(rdatas.begin(), rdatas.end(), record.rdata);
        if (found == rdatas.end()) return false;
        rdatas.erase(found);
        return true;
    }

    bool add(const ZoneRecord& record) {
        std::size_t& place = places_.at({record.owner, record.type});
        if (place == kNone) {
            place = zone_.rrsets.size();
            zone_.rrsets.push_back({record.owner, record.type, record.ttl, {}});
        }
        RRset& set = zone_.rrsets[place];
        if (std::find(set.rdatas.begin(), set.rdatas.end(), record.rdata) != set.rdatas.end())
            return false;
        set.ttl = record.ttl;
        set.rdatas.push_back(record.rdata);
        return true;
    }

    ZoneData zone_;
    ByKey<std::size_t> places_;
};

}  // namespace

std::size_t Difference::size_bytes() const {
    std::size_t out = 0;
    for (const auto* const records : {&removed, &added})
        for (const auto& record : *records)
            out += record.owner.size_bytes() + record.rdata.size() + 10;
    return out;
}

std::optional<Difference> find_difference(const ZoneData& before, const ZoneData& after) {
    Difference out;
    out.from = before.serial;
    out.to = after.serial;
    const RRset* const old_soa = find_soa(before);
    const RRset* const new_soa = find_soa(after);
    if (old_soa == nullptr || new_soa == nullptr) return std::nullopt;
    out.removed.push_back(record_of(*old_soa, 0));
    out.added.push_back(record_of(*new_soa, 0));

    ByKey<const RRset*> sets;
    for (const auto& set : before.rrsets)
        if (set.type != type::soa) sets.emplace(Key{set.owner, set.type}, &set);
    for (const auto& set : after.rrsets) {
        if (set.type == type::soa) continue;
        const auto found = sets.find({set.owner, set.type});
        const RRset* const old = found == sets.end() ? nullptr : found->second;
        append_missing(set, old, out.added);
        if (old == nullptr) continue;
        append_missing(*old, &set, out.removed);
        sets.erase(found);
    }
    for (const auto& set : before.rrsets)
        if (set.type != type::soa && sets.contains({set.owner, set.type}))
            append_missing(set, nullptr, out.removed);
    if (out.from == out.to && out.removed.size() == 1 && out.added.size() == 1) return std::nullopt;
    return out;
}

base::Result<ZoneData> apply_differences(
    const ZoneData& zone, std::span<const Difference> differences
) {
    Patient patient(zone, differences);
    for (const auto& difference : differences)
        if (!patient.apply(difference)) return base::Error(Errc::not_incremental);
    return std::move(patient).take();
}

}  // namespace twinsite::gslb::transfer
