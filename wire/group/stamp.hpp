// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace twinsite::wire::group {

/// When something was said, in an order on which all members agree without talking: by epoch, then
/// hybrid logical clock, then node.
struct Stamp {
    std::uint64_t epoch = 0;
    std::uint64_t clock = 0;  ///< wall time in ms << 16 | counter; see HybridClock
    std::string node;         ///< who said it

    auto operator<=>(const Stamp&) const = default;
};

/// A clock that never goes back and is never behind what was seen of others, and else follows the
/// wall clock (Kulkarni et al. 2014, "Logical physical clocks"). A peer whose wall clock is ahead
/// pulls it along, so that what is said after hearing of something is always later than that.
class HybridClock {
public:
    /// The next value, greater than all before and all seen.
    std::uint64_t tick(std::uint64_t wall_ms);
    void see(std::uint64_t clock);
    std::uint64_t last() const { return last_; }

private:
    std::uint64_t last_ = 0;
};

}  // namespace twinsite::wire::group
