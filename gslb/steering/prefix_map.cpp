// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/prefix_map.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace twinsite::gslb::steering {

namespace {

using base::text::Family;
using base::text::IpAddress;
using base::text::IpPrefix;

constexpr std::size_t kSlots = 65'536;

/// Gives equal classes one number. Class 0, the unmatched, lists nothing.
class ClassNumbers {
public:
    explicit ClassNumbers(std::span<const SiteOrder> orders) : orders_(orders) { number({}); }

    std::uint16_t number(const SiteOrder& sites) {
        const auto known = by_list_.find(sites);
        if (known != by_list_.end()) return known->second;
        const std::uint16_t id = number_of_meaning(sites);
        by_list_.emplace(sites, id);
        return id;
    }

    std::vector<SiteOrder> take_lists() { return std::move(lists_); }

private:
    /// Two lists mean the same when every default order completes them to the same.
    std::uint16_t number_of_meaning(const SiteOrder& sites) {
        std::vector<SiteOrder> meaning;
        for (const SiteOrder& order : orders_) meaning.push_back(complete(sites, order));
        if (orders_.empty()) meaning.push_back(sites);
        const auto known = by_meaning_.find(meaning);
        if (known != by_meaning_.end()) return known->second;
        if (lists_.size() >= PrefixMap::kMaxClasses) return 0;
        const auto id = static_cast<std::uint16_t>(lists_.size());
        lists_.push_back(sites);
        by_meaning_.emplace(std::move(meaning), id);
        return id;
    }

    std::span<const SiteOrder> orders_;
    std::map<SiteOrder, std::uint16_t> by_list_;
    std::map<std::vector<SiteOrder>, std::uint16_t> by_meaning_;
    std::vector<SiteOrder> lists_;
};

/// Bits that two keys share from the top.
int shared_bits(std::uint32_t a, std::uint32_t b) noexcept {
    return std::countl_zero(a ^ b);
}
template <class Key>
int shared_bits(const Key& a, const Key& b) noexcept {
    if (a.high != b.high) return std::countl_zero(a.high ^ b.high);
    return 64 + std::countl_zero(a.low ^ b.low);
}

std::size_t slot_of(std::uint32_t key) noexcept {
    return key >> 16;
}
template <class Key>
std::size_t slot_of(const Key& key) noexcept {
    return key.high >> 48;
}

std::uint32_t predecessor(std::uint32_t key) noexcept {
    return key - 1;
}
template <class Key>
Key predecessor(const Key& key) noexcept {
    return {key.low == 0 ? key.high - 1 : key.high, key.low - 1};
}

std::uint64_t word(const IpAddress& address, std::size_t from) noexcept {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 8; ++i) out = out << 8 | address.bytes[from + i];
    return out;
}

void fill_key(const IpAddress& address, std::uint32_t& key) noexcept {
    key = address.v4();
}
template <class Key>
void fill_key(const IpAddress& address, Key& key) noexcept {
    key.high = word(address, 0);
    key.low = word(address, 8);
}

/// The first address after the network; nullopt after the last one of the family.
std::optional<IpAddress> end_of(const IpPrefix& prefix) {
    IpAddress out = prefix.address;
    unsigned bit = prefix.length;
    while (bit > 0) {
        --bit;
        std::uint8_t& byte = out.bytes[bit / 8];
        const auto mask = static_cast<std::uint8_t>(0x80u >> (bit % 8));
        byte ^= mask;
        if ((byte & mask) != 0) return out;
    }
    return std::nullopt;
}

using Entry = std::pair<IpPrefix, std::uint16_t>;

bool outer_first(const Entry& a, const Entry& b) {
    return a.first < b.first;
}

/// Turns nested prefixes, given outer ones first, into ranges side by side.
template <class Key, class Ranges>
class Sweep {
public:
    explicit Sweep(Ranges& out) : out_(out) { begin_range(Key{}, 0); }

    void add(const Entry& entry) {
        const auto& [prefix, class_id] = entry;
        while (!open_.empty() && ends_by(open_.back(), prefix.address)) close_innermost();
        begin_range_at(prefix.address, class_id);
        open_.push_back({end_of(prefix), class_id});
    }

    void finish() {
        while (!open_.empty()) close_innermost();
    }

private:
    /// A prefix that the sweep is inside of.
    struct Open {
        std::optional<IpAddress> end;  // the first address behind it
        std::uint16_t class_id;
    };

    static bool ends_by(const Open& prefix, const IpAddress& address) {
        return prefix.end.has_value() && *prefix.end <= address;
    }

    void close_innermost() {
        const auto end = open_.back().end;
        open_.pop_back();
        if (end.has_value())
            begin_range_at(*end, open_.empty() ? std::uint16_t{0} : open_.back().class_id);
    }

    void begin_range_at(const IpAddress& start, std::uint16_t class_id) {
        Key key{};
        fill_key(start, key);
        begin_range(key, class_id);
    }

    void begin_range(Key start, std::uint16_t class_id) {
        if (!out_.starts.empty() && out_.starts.back() == start) {
            out_.starts.pop_back();
            out_.class_ids.pop_back();
        }
        if (!out_.class_ids.empty() && out_.class_ids.back() == class_id) return;
        out_.starts.push_back(start);
        out_.class_ids.push_back(class_id);
    }

    Ranges& out_;
    std::vector<Open> open_;  // innermost last
};

}  // namespace

template <class Key>
PrefixMap::Ranges<Key> PrefixMap::sweep(std::vector<std::pair<IpPrefix, std::uint16_t>> entries) {
    Ranges<Key> out;
    std::stable_sort(entries.begin(), entries.end(), outer_first);
    Sweep<Key, Ranges<Key>> ranges(out);
    for (const Entry& entry : entries) ranges.add(entry);
    ranges.finish();

    out.slots.resize(kSlots);
    std::size_t range = 0;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        while (range + 1 < out.starts.size() && slot_of(out.starts[range + 1]) < slot) ++range;
        out.slots[slot] = static_cast<std::uint32_t>(range);
    }
    return out;
}

template <class Key>
PrefixMap::Match PrefixMap::find_in(const Ranges<Key>& ranges, Key client) noexcept {
    const std::size_t slot = slot_of(client);
    const auto from = ranges.starts.begin() + ranges.slots[slot];
    const auto to = slot + 1 < kSlots ? ranges.starts.begin() + ranges.slots[slot + 1] + 1
                                      : ranges.starts.end();
    // The range of the slot's first address begins in an earlier slot or here, so one is always
    // at or below the client.
    const auto after = std::upper_bound(from, to, client);
    const auto at = static_cast<std::size_t>(after - ranges.starts.begin()) - 1;
    int depth = 0;
    if (at > 0) depth = 1 + shared_bits(client, predecessor(ranges.starts[at]));
    if (at + 1 < ranges.starts.size())
        depth = std::max(depth, 1 + shared_bits(client, ranges.starts[at + 1]));
    return {ranges.class_ids[at], static_cast<std::uint8_t>(depth)};
}

PrefixMap::PrefixMap() : PrefixMap({}, {}) {}

PrefixMap::PrefixMap(std::span<const PrefixEntry> entries, std::span<const SiteOrder> orders) {
    ClassNumbers numbers(orders);
    std::vector<std::pair<IpPrefix, std::uint16_t>> v4;
    std::vector<std::pair<IpPrefix, std::uint16_t>> v6;
    for (const PrefixEntry& entry : entries) {
        auto& family = entry.prefix.address.family == Family::v4 ? v4 : v6;
        family.emplace_back(entry.prefix, numbers.number(entry.sites));
    }
    v4_ = sweep<std::uint32_t>(std::move(v4));
    v6_ = sweep<Key128>(std::move(v6));
    classes_ = numbers.take_lists();
    const bool one_class = v4_.starts.size() == 1 && v6_.starts.size() == 1 &&
                           v4_.class_ids.front() == v6_.class_ids.front();
    least_depth_ = one_class ? 0 : 1;
}

PrefixMap::Match PrefixMap::find(const IpAddress& client) const noexcept {
    Match out = client.family == Family::v4
                    ? find_in(v4_, client.v4())
                    : find_in(v6_, Key128{word(client, 0), word(client, 8)});
    out.depth = std::max(out.depth, least_depth_);
    return out;
}

}  // namespace twinsite::gslb::steering
