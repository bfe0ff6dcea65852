// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twinsite::slb::balance {

/// A small, fast, seeded generator (xorshift64*): ties between blades need fairness, not secrecy.
/// Seeded by the caller, so that tests and the simulator repeat exactly.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed == 0 ? 0x9e3779b97f4a7c15ULL : seed) {}

    std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1dULL;
    }
    /// 0..below-1, `below` at least 1.
    std::uint32_t below(std::uint32_t below) {
        return static_cast<std::uint32_t>(((next() >> 32) * below) >> 32);
    }

private:
    std::uint64_t state_;
};

}  // namespace twinsite::slb::balance
