// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// Numbers in network byte order. The caller has checked that the bytes are there.
namespace twinsite::wire::diameter {

inline std::uint32_t load_u24(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
}
inline std::uint32_t load_u32(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 24 | load_u24(at + 1);
}
inline std::uint64_t load_u64(const std::uint8_t* at) {
    return std::uint64_t{load_u32(at)} << 32 | load_u32(at + 4);
}
inline void store_u24(std::uint8_t* at, std::uint32_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 16);
    at[1] = static_cast<std::uint8_t>(value >> 8);
    at[2] = static_cast<std::uint8_t>(value);
}
inline void store_u32(std::uint8_t* at, std::uint32_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 24);
    store_u24(at + 1, value);
}
inline void store_u64(std::uint8_t* at, std::uint64_t value) {
    store_u32(at, static_cast<std::uint32_t>(value >> 32));
    store_u32(at + 4, static_cast<std::uint32_t>(value));
}

/// Size with padding: the next multiple of 4.
constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 3) & ~std::size_t{3};
}

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace twinsite::wire::diameter
