// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/hashed_name.hpp"

#include <bit>
#include <cstring>

#include "wire/dns/bytes.hpp"

namespace twinsite::gslb::zone {
namespace {

constexpr std::size_t kBlockBytes = 64;
using State = std::array<std::uint32_t, 5>;

/// One block of SHA-1 (FIPS 180-4 section 6.1.2).
void compress(State& state, const std::uint8_t* block) {
    std::uint32_t w[80];
    for (std::size_t i = 0; i < 16; ++i) w[i] = wire::dns::load32(block + i * 4);
    for (std::size_t i = 16; i < 80; ++i)
        w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = state;
    const auto round = [&](std::uint32_t f, std::uint32_t k, std::uint32_t word) {
        const std::uint32_t next = std::rotl(a, 5) + f + e + k + word;
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    };
    for (std::size_t i = 0; i < 20; ++i) round(d ^ (b & (c ^ d)), 0x5a827999, w[i]);
    for (std::size_t i = 20; i < 40; ++i) round(b ^ c ^ d, 0x6ed9eba1, w[i]);
    for (std::size_t i = 40; i < 60; ++i) round((b & c) | (d & (b | c)), 0x8f1bbcdc, w[i]);
    for (std::size_t i = 60; i < 80; ++i) round(b ^ c ^ d, 0xca62c1d6, w[i]);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

}  // namespace

HashedName sha1(std::span<const std::uint8_t> bytes) noexcept {
    State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    std::size_t at = 0;
    for (; at + kBlockBytes <= bytes.size(); at += kBlockBytes) compress(state, bytes.data() + at);
    // The rest, one bit, zeros, and the length in bits: one block or two.
    std::uint8_t tail[2 * kBlockBytes] = {};
    const std::size_t rest = bytes.size() - at;
    if (rest != 0) std::memcpy(tail, bytes.data() + at, rest);
    tail[rest] = 0x80;
    const std::size_t size = rest + 9 <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
    wire::dns::store64(tail + size - 8, std::uint64_t{bytes.size()} * 8);
    compress(state, tail);
    if (size > kBlockBytes) compress(state, tail + kBlockBytes);
    HashedName out;
    for (std::size_t i = 0; i < state.size(); ++i) wire::dns::store32(out.data() + i * 4, state[i]);
    return out;
}

HashedName hash_name_of(
    const HashParameters& parameters, const std::uint8_t* name, std::size_t size
) noexcept {
    std::uint8_t input[255 + 255];
    const auto salt = parameters.salt_view();
    std::memcpy(input, name, size);
    if (!salt.empty()) std::memcpy(input + size, salt.data(), salt.size());
    HashedName out = sha1({input, size + salt.size()});
    for (unsigned i = 0; i < parameters.iterations; ++i) {
        std::memcpy(input, out.data(), out.size());
        if (!salt.empty()) std::memcpy(input + out.size(), salt.data(), salt.size());
        out = sha1({input, out.size() + salt.size()});
    }
    return out;
}

}  // namespace twinsite::gslb::zone
