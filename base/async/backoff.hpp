// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace twinsite::base::async {

/// Delays between attempts: exponential with full jitter. Attempt n waits a random time between
/// nothing and min(max, min * 2^n): capped first, jittered after, so that even at the cap a crowd
/// of clients stays spread. Pure but for the random numbers it is given.
class Backoff {
public:
    using Random = std::function<std::uint64_t()>;  ///< Uniform over all 64 bits.

    /// `min` at least 1 ms, `max` at least `min`.
    Backoff(std::chrono::milliseconds min, std::chrono::milliseconds max, Random random)
        : min_(min), max_(max), ceiling_(min), random_(std::move(random)) {}

    std::chrono::milliseconds next() {
        const auto span = static_cast<std::uint64_t>(ceiling_.count()) + 1;
        const std::chrono::milliseconds delay(static_cast<std::int64_t>(random_() % span));
        ceiling_ = ceiling_ > max_ / 2 ? max_ : std::min(max_, ceiling_ * 2);
        return delay;
    }
    /// After a success: the next failure starts from `min` again.
    void reset() { ceiling_ = min_; }
    /// The most that `next` can give now.
    std::chrono::milliseconds ceiling() const { return ceiling_; }

private:
    std::chrono::milliseconds min_;
    std::chrono::milliseconds max_;
    std::chrono::milliseconds ceiling_;
    Random random_;
};

}  // namespace twinsite::base::async
