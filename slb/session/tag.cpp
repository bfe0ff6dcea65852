// SPDX-License-Identifier: Apache-2.0
#include "slb/session/tag.hpp"

#include <bit>
#include <cstring>

namespace twinsite::slb::session {

namespace {

// The four words of SipHash's state (Aumasson and Bernstein, 2012): one round per block, three at
// the end, which resists chosen inputs and costs about 15 ns for a usual Session-Id.
struct State {
    std::uint64_t a, b, c, d;

    void round() {
        a += b;
        b = std::rotl(b, 13) ^ a;
        a = std::rotl(a, 32);
        c += d;
        d = std::rotl(d, 16) ^ c;
        a += d;
        d = std::rotl(d, 21) ^ a;
        c += b;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    }
    void absorb(std::uint64_t block) {
        d ^= block;
        round();
        a ^= block;
    }
};

}  // namespace

Tag make_tag(const TagKey& key, std::span<const std::uint8_t> session_id) {
    State state{
        key[0] ^ 0x736f6d6570736575ULL,
        key[1] ^ 0x646f72616e646f6dULL,
        key[0] ^ 0x6c7967656e657261ULL,
        key[1] ^ 0x7465646279746573ULL,
    };
    const auto size = session_id.size();
    auto at = session_id.data();
    for (auto left = size / 8; left > 0; --left, at += 8) {
        std::uint64_t block;
        std::memcpy(&block, at, 8);
        state.absorb(block);
    }
    std::uint64_t last = static_cast<std::uint64_t>(size) << 56;
    for (std::size_t i = 0; i < size % 8; ++i) last |= static_cast<std::uint64_t>(at[i]) << (8 * i);
    state.absorb(last);
    state.c ^= 0xff;
    for (int i = 0; i < 3; ++i) state.round();
    const auto tag = state.a ^ state.b ^ state.c ^ state.d;
    return tag == 0 ? 1 : tag;
}

}  // namespace twinsite::slb::session
