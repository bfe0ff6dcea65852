// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/text/ip.hpp"

/// Weighted rendezvous hashing: each client ranks all members by a hash of both, and takes the
/// best. Members that come or go move only their own clients, and two servers with the same
/// members agree without a word. All in integers, so that no two machines differ in a last digit.
namespace twinsite::gslb::steering {

/// Spreads a number over all bits (splitmix64).
constexpr std::uint64_t spread(std::uint64_t value) noexcept {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

/// A number for a text, the same everywhere (FNV-1a, then spread).
constexpr std::uint64_t spread_text(std::string_view text) noexcept {
    std::uint64_t out = 0xcbf29ce484222325;
    for (const char letter : text) out = (out ^ static_cast<std::uint8_t>(letter)) * 0x100000001b3;
    return spread(out);
}

/// A member of a domain group: the same member of another group ranks otherwise.
constexpr std::uint64_t member_key(std::string_view group, std::string_view member) noexcept {
    return spread(spread_text(group) ^ std::rotl(spread_text(member), 1));
}

/// The network of a client, cut at `bits`.
inline std::uint64_t client_key(const base::text::IpAddress& client, unsigned bits) noexcept {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        high = high << 8 | client.bytes[i];
        low = low << 8 | client.bytes[8 + i];
    }
    if (bits < 64) high &= bits == 0 ? 0 : ~std::uint64_t{0} << (64 - bits);
    if (bits < 128) low &= bits <= 64 ? 0 : ~std::uint64_t{0} << (128 - bits);
    return spread(spread(high ^ static_cast<std::uint64_t>(client.family)) ^ low);
}

namespace rendezvous {

constexpr unsigned kFractionBits = 20;

/// log2(1 + i / 256) with kFractionBits behind the point.
constexpr std::array<std::uint32_t, 257> make_log2_table() {
    std::array<std::uint32_t, 257> out{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint64_t x = (std::uint64_t{256} + i) << 22;  // 1..2 with 30 bits behind the point
        std::uint32_t log = 0;
        for (unsigned bit = 0; bit < kFractionBits; ++bit) {
            x = x * x >> 30;
            log <<= 1;
            if (x >= std::uint64_t{2} << 30) {
                log |= 1;
                x >>= 1;
            }
        }
        out[i] = log;
    }
    out[256] = 1U << kFractionBits;
    return out;
}
inline constexpr auto kLog2 = make_log2_table();

/// -log2(hash / 2^64), with kFractionBits behind the point; at least 1.
constexpr std::uint64_t distance(std::uint64_t hash) noexcept {
    if (hash == 0) return std::uint64_t{64} << kFractionBits;
    const int zeros = std::countl_zero(hash);
    const std::uint64_t mantissa = hash << zeros << 1;  // behind the leading one
    const std::size_t slot = mantissa >> 56;
    const std::uint64_t rest = mantissa >> 36 & 0xfffff;  // 20 bits within the slot
    const std::uint64_t step = kLog2[slot + 1] - kLog2[slot];
    const std::uint64_t fraction = kLog2[slot] + (step * rest >> 20);
    const std::uint64_t whole = std::uint64_t(zeros + 1) << kFractionBits;
    const std::uint64_t out = whole - fraction;
    return out == 0 ? 1 : out;
}

}  // namespace rendezvous

/// One who may be chosen.
struct Ranked {
    std::uint64_t key = 0;
    std::uint32_t weight = 1;  ///< 1..; the share of clients
};

/// The place of the best in `members`, which must not be empty. Independent of their order. The
/// score is weight / -log(u): it gives each its share exactly (Schindelhauer and Schomaker 2005).
template <class Members>
std::size_t choose_member(
    const Members& members, std::size_t count, std::uint64_t client
) noexcept {
    std::size_t best = 0;
    std::uint64_t best_distance = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t distance = rendezvous::distance(spread(client ^ members[i].key));
        if (i > 0) {
            // weight / distance > best weight / best distance; 32 + 27 bits fit
            const std::uint64_t mine = members[i].weight * best_distance;
            const std::uint64_t other = members[best].weight * distance;
            if (mine < other || (mine == other && members[i].key >= members[best].key)) continue;
        }
        best = i;
        best_distance = distance;
    }
    return best;
}

}  // namespace twinsite::gslb::steering
