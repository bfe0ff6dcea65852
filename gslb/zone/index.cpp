// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/index.hpp"

namespace twinsite::gslb::zone {

using wire::dns::NameKey;

namespace {

/// `stored` is padded with zeros to whole words; behind `name` seven more bytes are readable.
bool same_name(const std::uint8_t* stored, const std::uint8_t* name, std::size_t size) {
    std::size_t at = 0;
    for (; at + 8 < size; at += 8)
        if (wire::dns::load_word(stored + at) != wire::dns::load_word(name + at)) return false;
    const std::uint64_t last = wire::dns::load_word(name + at) & wire::dns::first_bytes(size - at);
    return wire::dns::load_word(stored + at) == last;
}

std::size_t count_labels(const std::uint8_t* name) {
    std::size_t count = 0;
    for (; *name != 0; name += 1 + *name) ++count;
    return count;
}

}  // namespace

const Node* Index::find(const std::uint8_t* name, std::size_t size, std::uint64_t hash)
    const noexcept {
    const auto* const slots = reinterpret_cast<const Slot*>(slots_.data());
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t i = hash & slot_mask_;; i = (i + 1) & slot_mask_) {
        const Slot slot = slots[i];
        if (slot.node == kNone) return nullptr;
        if (slot.tag != tag) continue;
        const Node& found = node(slot.node);
        // The name is in the first line, most records in the second: fetch both at once.
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&found) + kCacheLineBytes);
        if (found.name_bytes == size && same_name(found.name(), name, size)) return &found;
    }
}

const Node* Index::find(const wire::dns::Name& name) const noexcept {
    const NameKey key = wire::dns::make_key(name);
    return find(key.bytes.data(), key.size, key.hash);
}

Index::Match Index::match(const NameKey& name) const noexcept {
    const std::uint8_t* at = name.bytes.data();
    if (const Node* const found = find(at, name.size, name.hash)) return {MatchKind::exact, found};
    // All ancestors of a name are in the table, so the first one found is the closest encloser.
    const std::uint8_t* const end = at + name.size;
    std::size_t labels = count_labels(at);
    while (labels > 0) {
        at += 1 + *at;
        --labels;
        if (labels > max_labels_) continue;
        const auto size = static_cast<std::size_t>(end - at);
        const Node* const encloser = find(at, size, wire::dns::hash_name(at, size));
        if (encloser == nullptr) continue;
        if (encloser->wildcard != kNone && encloser->referral == kNone)
            return {MatchKind::wildcard, &node(encloser->wildcard)};
        return {MatchKind::name_error, encloser};
    }
    return {};
}

}  // namespace twinsite::gslb::zone
