// SPDX-License-Identifier: Apache-2.0
#include "wire/group/stamp.hpp"

#include <algorithm>

namespace twinsite::wire::group {

std::uint64_t HybridClock::tick(std::uint64_t wall_ms) {
    last_ = std::max(last_ + 1, wall_ms << 16U);
    return last_;
}

void HybridClock::see(std::uint64_t clock) {
    last_ = std::max(last_, clock);
}

}  // namespace twinsite::wire::group
