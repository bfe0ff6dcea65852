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

/// A prefix with a number: of a list of its layer in an item, kNothing where no prefix is.
using Entry = PrefixLayer::Item;
constexpr std::uint32_t kNothing = 0xffffffff;

/// Address ranges with numbers, side by side; range i covers [starts[i], starts[i + 1]).
template <class Key>
struct Numbered {
    std::vector<Key> starts;
    std::vector<std::uint32_t> numbers;

    void begin_range(Key start, std::uint32_t number) {
        if (!starts.empty() && starts.back() == start) {
            starts.pop_back();
            numbers.pop_back();
        }
        if (!numbers.empty() && numbers.back() == number) return;
        starts.push_back(start);
        numbers.push_back(number);
    }
};

/// Turns nested prefixes, given outer ones first, into ranges side by side.
template <class Key>
class Sweep {
public:
    Sweep() { out_.begin_range(Key{}, kNothing); }

    void add(const Entry& entry) {
        while (!open_.empty() && ends_by(open_.back(), entry.prefix.address)) close_innermost();
        begin_range_at(entry.prefix.address, entry.list);
        open_.push_back({end_of(entry.prefix), entry.list});
    }

    Numbered<Key> finish() {
        while (!open_.empty()) close_innermost();
        return std::move(out_);
    }

private:
    /// A prefix that the sweep is inside of.
    struct Open {
        std::optional<IpAddress> end;  // the first address behind it
        std::uint32_t number;
    };

    static bool ends_by(const Open& prefix, const IpAddress& address) {
        return prefix.end.has_value() && *prefix.end <= address;
    }

    void close_innermost() {
        const auto end = open_.back().end;
        open_.pop_back();
        if (end.has_value()) begin_range_at(*end, open_.empty() ? kNothing : open_.back().number);
    }

    void begin_range_at(const IpAddress& start, std::uint32_t number) {
        Key key{};
        fill_key(start, key);
        out_.begin_range(key, number);
    }

    Numbered<Key> out_;
    std::vector<Open> open_;  // innermost last
};

template <class Key>
constexpr Family kFamily = Family::v6;
template <>
constexpr Family kFamily<std::uint32_t> = Family::v4;

/// The ranges of one layer in one family, numbered by `ids` of its lists.
template <class Key>
Numbered<Key> sweep(const PrefixLayer& layer, const std::vector<std::uint16_t>& ids) {
    std::vector<Entry> entries;
    for (const Entry& item : layer.items)
        if (item.prefix.address.family == kFamily<Key>)
            entries.push_back({item.prefix, ids[item.list]});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.prefix < b.prefix;
    });
    Sweep<Key> out;
    for (const Entry& entry : entries) out.add(entry);
    return out.finish();
}

/// `upper` where it says something, else `lower`.
template <class Key>
Numbered<Key> overlay(const Numbered<Key>& lower, const Numbered<Key>& upper) {
    Numbered<Key> out;
    std::size_t low = 0;
    std::size_t up = 0;
    while (true) {
        const bool spoken = upper.numbers[up] != kNothing;
        out.begin_range(
            std::max(lower.starts[low], upper.starts[up]),
            spoken ? upper.numbers[up] : lower.numbers[low]
        );
        const bool more_low = low + 1 < lower.starts.size();
        const bool more_up = up + 1 < upper.starts.size();
        if (!more_low && !more_up) return out;
        // On to the next border; both when they coincide.
        const bool step_low =
            more_low && (!more_up || lower.starts[low + 1] <= upper.starts[up + 1]);
        const bool step_up =
            more_up && (!more_low || upper.starts[up + 1] <= lower.starts[low + 1]);
        if (step_low) ++low;
        if (step_up) ++up;
    }
}

}  // namespace

template <class Key>
PrefixMap::Ranges<Key> PrefixMap::make_ranges(
    std::span<const PrefixLayer* const> layers, std::span<const std::vector<std::uint16_t>> ids
) {
    Numbered<Key> all;
    all.begin_range(Key{}, kNothing);
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (!layers[i]->empty()) all = overlay(all, sweep<Key>(*layers[i], ids[i]));
    // What no prefix names is of class 0, and so is what means the same.
    Numbered<Key> merged;
    for (std::size_t i = 0; i < all.starts.size(); ++i)
        merged.begin_range(all.starts[i], all.numbers[i] == kNothing ? 0 : all.numbers[i]);

    Ranges<Key> out;
    out.starts = std::move(merged.starts);
    for (const std::uint32_t number : merged.numbers)
        out.class_ids.push_back(static_cast<std::uint16_t>(number));
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

PrefixMap::Tables PrefixMap::make_tables(
    std::span<const PrefixLayer* const> layers, std::span<const std::vector<std::uint16_t>> ids
) {
    Tables out;
    out.v4 = make_ranges<std::uint32_t>(layers, ids);
    out.v6 = make_ranges<Key128>(layers, ids);
    const bool one_class = out.v4.starts.size() == 1 && out.v6.starts.size() == 1 &&
                           out.v4.class_ids.front() == out.v6.class_ids.front();
    out.least_depth = one_class ? 0 : 1;
    return out;
}

PrefixMap::PrefixMap() : PrefixMap(PrefixLayers{}, {}) {}

PrefixMap::PrefixMap(std::span<const PrefixEntry> entries, std::span<const SiteOrder> orders)
    : PrefixMap(PrefixLayers{{}, {}, {}, layer_of(entries), {}}, orders) {}

PrefixMap::PrefixMap(const PrefixLayers& layers, std::span<const SiteOrder> orders) {
    const PrefixLayer* const all[] = {
        &layers.geo, &layers.owners, &layers.measured, &layers.networks, &layers.resolvers
    };
    ClassNumbers numbers(orders);
    std::vector<std::vector<std::uint16_t>> ids;  // by layer and list
    for (const PrefixLayer* layer : all) {
        auto& of_layer = ids.emplace_back();
        for (const SiteOrder& sites : layer->lists) of_layer.push_back(numbers.number(sites));
    }
    clients_ = make_tables(std::span(all).first(4), ids);
    if (!layers.resolvers.empty()) sources_ = std::make_shared<const Tables>(make_tables(all, ids));
    classes_ = numbers.take_lists();
}

PrefixMap::Match PrefixMap::Tables::find(const IpAddress& client) const noexcept {
    Match out = client.family == Family::v4 ? find_in(v4, client.v4())
                                            : find_in(v6, Key128{word(client, 0), word(client, 8)});
    out.depth = std::max(out.depth, least_depth);
    return out;
}

PrefixMap::Match PrefixMap::find(const IpAddress& client) const noexcept {
    return clients_.find(client);
}

}  // namespace twinsite::gslb::steering
