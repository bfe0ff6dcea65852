// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/proof_order.hpp"

#include <algorithm>
#include <cstring>

#include "wire/dns/bytes.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {
namespace {

/// Appends a label so that labels compare as the bytes do: a zero ends it, and the bytes 0 and 1
/// inside it become two.
std::uint8_t* append_label(std::uint8_t* to, const std::uint8_t* label) {
    const std::size_t size = *label++;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint8_t byte = label[i];
        if (byte <= 1) [[unlikely]] {
            *to++ = 1;
            *to++ = static_cast<std::uint8_t>(byte + 1);
        } else {
            *to++ = byte;
        }
    }
    *to++ = 0;
    return to;
}

}  // namespace

void OrderKey::set_name(
    const std::uint8_t* name, std::size_t name_bytes, std::size_t origin_bytes
) {
    std::uint8_t starts[wire::dns::kMaxLabels];
    std::size_t labels = 0;
    const std::size_t end = name_bytes - origin_bytes;
    for (std::size_t at = 0; at < end; at += 1 + std::size_t{name[at]})
        starts[labels++] = static_cast<std::uint8_t>(at);
    std::uint8_t bytes[kMaxWords * 8];
    std::uint8_t* to = bytes;
    while (labels > 0) to = append_label(to, name + starts[--labels]);
    const auto used = static_cast<std::size_t>(to - bytes);
    std::memset(to, 0, 8);
    size = (used + 7) / 8;
    if (size == 0) size = 1;
    for (std::size_t i = 0; i < size; ++i) words[i] = wire::dns::load64(bytes + i * 8);
}

void OrderKey::set_hash(const HashedName& hash) {
    words[0] = wire::dns::load64(hash.data());
    words[1] = wire::dns::load64(hash.data() + 8);
    words[2] = std::uint64_t{wire::dns::load32(hash.data() + 16)} << 32;
    size = 3;
}

ProofOrder::ProofOrder(
    std::optional<HashParameters> hashing, std::size_t origin_bytes, std::span<const Item> items
)
    : hashing_(hashing), origin_bytes_(origin_bytes), count_(items.size()) {
    first_words_.reserve(count_);
    entries_.reserve(count_ + 1);
    for (const Item& item : items) {
        first_words_.push_back(item.words[0]);
        entries_.push_back({static_cast<std::uint32_t>(pool_.size()), item.proof});
        pool_.insert(pool_.end(), item.words.begin() + 1, item.words.end());
    }
    entries_.push_back({static_cast<std::uint32_t>(pool_.size()), 0});
}

/// Below, at or above zero as `key` is before, at or behind the entry. Their first words are equal.
int ProofOrder::compare(const OrderKey& key, std::size_t entry) const noexcept {
    const std::uint32_t begin = entries_.data()[entry].words_at;
    const std::size_t mine = entries_.data()[entry + 1].words_at - begin;
    for (std::size_t i = 0; i < mine; ++i) {
        const std::uint64_t theirs = i + 1 < key.size ? key.words[i + 1] : 0;
        const std::uint64_t own = pool_.data()[begin + i];
        if (theirs != own) return theirs < own ? -1 : 1;
    }
    return key.size - 1 > mine ? 1 : 0;
}

std::size_t ProofOrder::at_or_before(const OrderKey& key) const noexcept {
    const std::uint64_t* const words = first_words_.data();
    const std::uint64_t first = key.words[0];
    // The number of entries whose first word is at most that of the key, without branches.
    std::size_t base = 0;
    for (std::size_t left = count_; left > 0;) {
        const std::size_t half = (left + 1) / 2;
        base += words[base + half - 1] <= first ? half : 0;
        left -= half;
    }
    std::size_t low = base;
    if (low > 0 && words[low - 1] == first)
        low = static_cast<std::size_t>(std::lower_bound(words, words + base, first) - words);
    // Among those with the same first word the others decide.
    std::size_t end = base;
    while (low < end) {
        const std::size_t middle = low + (end - low) / 2;
        if (compare(key, middle) < 0) {
            end = middle;
        } else {
            low = middle + 1;
        }
    }
    return low == 0 ? count_ - 1 : low - 1;
}

}  // namespace twinsite::gslb::zone
