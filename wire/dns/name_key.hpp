// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/dns/bytes.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::wire::dns {

/// Lower-cases the ASCII letters among eight bytes, whatever the others are. Label lengths (0..63)
/// are never letters, so a wire name can be lower-cased without looking at its labels.
constexpr std::uint64_t lower_word(std::uint64_t word) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    const std::uint64_t low_bits = word & (kOnes * 0x7f);
    const std::uint64_t from_a = low_bits + kOnes * (0x80 - 'A');
    const std::uint64_t after_z = low_bits + kOnes * (0x7f - 'Z');
    const std::uint64_t letters = (from_a ^ after_z) & ~word & (kOnes * 0x80);
    return word | letters >> 2;
}

/// One step of the hash of names; a name is taken as 8-byte words, the last one padded with zeros.
constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}
constexpr std::uint64_t hash_start(std::size_t size) {
    return size * 0xff51afd7ed558ccd;
}

/// A query name made ready for look-ups: lower-cased, padded with zeros to whole words, hashed.
struct NameKey {
    alignas(8) std::array<std::uint8_t, 272> bytes;  ///< 255 and room for one word behind any byte
    std::size_t size = 0;                            ///< of the name, root label included
    std::uint64_t hash = 0;
};

/// Mask that keeps the first `count` (1..8) bytes of a word.
constexpr std::uint64_t first_bytes(std::size_t count) {
    return ~std::uint64_t{0} >> (64 - 8 * count);
}

/// Hash of the `size` (1..255) lower-cased bytes at `name`; at least 7 more bytes must be readable.
inline std::uint64_t hash_name(const std::uint8_t* name, std::size_t size) {
    std::uint64_t hash = hash_start(size);
    std::size_t at = 0;
    for (; at + 8 < size; at += 8) hash = hash_step(hash, load_word(name + at));
    return hash_step(hash, load_word(name + at) & first_bytes(size - at));
}

/// Fills `key` from a name of `size` (1..255) bytes. Reads exactly these bytes.
inline void make_key(const std::uint8_t* name, std::size_t size, NameKey& key) {
    std::uint64_t hash = hash_start(size);
    std::size_t at = 0;
    for (; at + 8 < size; at += 8) {
        const std::uint64_t word = lower_word(load_word(name + at));
        std::memcpy(key.bytes.data() + at, &word, sizeof word);
        hash = hash_step(hash, word);
    }
    std::uint64_t last = 0;
    if (size >= 8) {
        last = load_word(name + size - 8) >> (8 * (8 - (size - at)));
    } else {
        std::memcpy(&last, name, size);
    }
    last = lower_word(last);
    std::memcpy(key.bytes.data() + at, &last, sizeof last);
    key.size = size;
    key.hash = hash_step(hash, last);
}

inline NameKey make_key(const Name& name) {
    NameKey key;
    make_key(name.wire().data(), name.size_bytes(), key);
    return key;
}

}  // namespace twinsite::wire::dns
