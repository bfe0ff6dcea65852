// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gslb/zone/arena.hpp"
#include "gslb/zone/hashed_name.hpp"

namespace twinsite::gslb::zone {

/// A name or a hash as words that compare like it: names below the apex by labels from the right
/// (RFC 4034 section 6.1), hashes as numbers.
struct OrderKey {
    /// Two bytes for each byte of a name at most, and a padded end.
    static constexpr std::size_t kMaxWords = 2 * 256 / 8 + 1;
    std::array<std::uint64_t, kMaxWords> words;
    std::size_t size = 0;  ///< words in use; the rest counts as zeros

    /// `name` of `name_bytes` in lower case, at or below an apex of `origin_bytes`.
    void set_name(const std::uint8_t* name, std::size_t name_bytes, std::size_t origin_bytes);
    void set_hash(const HashedName& hash);
};

/// The proofs of a signed zone in their order: finds the one that covers a name that does not
/// exist. Filled once, then read; a look-up takes no lock and no heap.
class ProofOrder {
public:
    struct Item {
        std::vector<std::uint64_t> words;  ///< of an OrderKey
        Arena::Place proof;
    };
    /// `hashing` empty: NSEC. Items by their words, no two alike, at least one.
    ProofOrder(
        std::optional<HashParameters> hashing, std::size_t origin_bytes, std::span<const Item> items
    );

    bool is_hashed() const noexcept { return hashing_.has_value(); }
    const std::optional<HashParameters>& hashing() const noexcept { return hashing_; }

    /// Place of the proof that covers the name (or is the name's own). `name` has `size` bytes, in
    /// lower case; `next_closer_at` is the offset in it of the name one label longer than the
    /// closest encloser, which is the one that NSEC3 hashes.
    Arena::Place covering(const std::uint8_t* name, std::size_t size, std::size_t next_closer_at)
        const noexcept {
        OrderKey key;
        if (hashing_) {
            key.set_hash(hash_name_of(*hashing_, name + next_closer_at, size - next_closer_at));
        } else {
            key.set_name(name, size, origin_bytes_);
        }
        return entries_.data()[at_or_before(key)].proof;
    }
    /// The number, in order, of the item at or before `key`; the last one when `key` is before all.
    std::size_t at_or_before(const OrderKey& key) const noexcept;

private:
    struct Entry {
        std::uint32_t words_at;  // in pool_; those of the next entry end this one's
        Arena::Place proof;
    };
    int compare(const OrderKey& key, std::size_t entry) const noexcept;

    std::optional<HashParameters> hashing_;
    std::size_t origin_bytes_;
    std::size_t count_ = 0;
    std::vector<std::uint64_t> first_words_;  // most look-ups need no other
    std::vector<Entry> entries_;              // and one that ends the last
    std::vector<std::uint64_t> pool_;         // the words behind the first
};

}  // namespace twinsite::gslb::zone
