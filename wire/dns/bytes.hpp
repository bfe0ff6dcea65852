// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Unchecked loads, stores and short copies: the caller has checked the bounds.
namespace twinsite::wire::dns {

static_assert(std::endian::native == std::endian::little, "the query path assumes little endian");

inline std::uint16_t load16(const std::uint8_t* at) {
    std::uint16_t value;
    std::memcpy(&value, at, sizeof value);
    return __builtin_bswap16(value);
}
inline std::uint32_t load32(const std::uint8_t* at) {
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return __builtin_bswap32(value);
}
inline std::uint64_t load64(const std::uint8_t* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return __builtin_bswap64(value);
}
/// Eight bytes as they lie in memory; for hashing and comparing.
inline std::uint64_t load_word(const std::uint8_t* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
inline void store16(std::uint8_t* at, std::uint16_t value) {
    value = __builtin_bswap16(value);
    std::memcpy(at, &value, sizeof value);
}
inline void store32(std::uint8_t* at, std::uint32_t value) {
    value = __builtin_bswap32(value);
    std::memcpy(at, &value, sizeof value);
}
inline void store64(std::uint8_t* at, std::uint64_t value) {
    value = __builtin_bswap64(value);
    std::memcpy(at, &value, sizeof value);
}

namespace detail {
template <std::size_t Size>
inline void copy_ends(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
    unsigned char head[Size];
    unsigned char tail[Size];
    std::memcpy(head, from, Size);
    std::memcpy(tail, from + size - Size, Size);
    std::memcpy(to, head, Size);
    std::memcpy(to + size - Size, tail, Size);
}
}  // namespace detail

/// memcpy for the few dozen bytes of a question or an RRset: fixed-size moves that overlap at the
/// end cost less than the call. Touches nothing outside the two ranges.
inline void copy_short(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
    if (size >= 16) {
        if (size > 256) {
            std::memcpy(to, from, size);
            return;
        }
        for (std::size_t at = 0; at + 16 < size; at += 16) std::memcpy(to + at, from + at, 16);
        std::memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        detail::copy_ends<8>(to, from, size);
    } else if (size >= 4) {
        detail::copy_ends<4>(to, from, size);
    } else {
        for (std::size_t at = 0; at < size; ++at) to[at] = from[at];
    }
}

}  // namespace twinsite::wire::dns
