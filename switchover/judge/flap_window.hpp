// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twinsite::switchover::judge {

/// Whether something changes too often: the changes among the last 21 judged samples, newer ones
/// weighing more (0.8 for the oldest to 1.2 for the newest). On above 50 %, off below 25 %.
class FlapWindow {
public:
    static constexpr unsigned kSamples = 21;

    void push(bool bad) {
        changes_ = (changes_ << 1U) & kMask;
        if (judged_ && bad != last_) changes_ |= 1U;
        last_ = bad;
        judged_ = true;
        if (changes_ == 0 && !flapping_) return;
        const auto sum = weighted();
        if (sum * 2 > kWhole) flapping_ = true;
        if (sum * 4 < kWhole) flapping_ = false;
    }

    bool flapping() const { return flapping_; }
    /// The last sample; false when there is none.
    bool last() const { return last_; }
    bool judged() const { return judged_; }
    /// Weighted share of changes, 0..100.
    double percent() const { return 100.0 * weighted() / kWhole; }

private:
    static constexpr unsigned kPairs = kSamples - 1;  // between two samples there is one change
    static constexpr std::uint32_t kMask = (1U << kPairs) - 1;
    // Weights times 190 are whole numbers: 152, 156 ... 228; together 3800.
    static constexpr unsigned kWhole = 3800;
    static constexpr unsigned kNewest = 228;

    unsigned weighted() const {
        unsigned sum = 0;
        for (unsigned age = 0; age < kPairs; ++age)
            if ((changes_ >> age) & 1U) sum += kNewest - 4 * age;
        return sum;
    }

    std::uint32_t changes_ = 0;  // bit 0: between the two newest samples
    bool last_ = false;
    bool judged_ = false;
    bool flapping_ = false;
};

}  // namespace twinsite::switchover::judge
