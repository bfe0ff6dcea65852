// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twinsite::gslb::answer {

/// Fast pseudo-random words for weighted draws (the xoroshiro128+ generator of Blackman and Vigna).
/// One per worker thread. Not for secrets.
class Random {
public:
    explicit Random(std::uint64_t seed) : a_(mix(seed)), b_(mix(seed + 1) | 1) {}

    std::uint64_t next() {
        const std::uint64_t a = a_;
        const std::uint64_t b = b_ ^ a;
        const std::uint64_t out = a + b_;
        a_ = rotate(a, 24) ^ b ^ b << 16;
        b_ = rotate(b, 37);
        return out;
    }

private:
    static constexpr std::uint64_t rotate(std::uint64_t value, int by) {
        return value << by | value >> (64 - by);
    }
    /// Spreads small seeds over all bits (splitmix64).
    static constexpr std::uint64_t mix(std::uint64_t seed) {
        seed = (seed + 1) * 0x9e3779b97f4a7c15;
        seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
        seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
        return seed ^ seed >> 31;
    }
    std::uint64_t a_;
    std::uint64_t b_;
};

}  // namespace twinsite::gslb::answer
