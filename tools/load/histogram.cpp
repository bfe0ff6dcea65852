// SPDX-License-Identifier: Apache-2.0
#include "tools/load/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace twinsite::tools::load {

std::uint64_t Histogram::end_of(std::size_t bucket) {
    if (bucket < kBuckets) return bucket;
    const std::uint64_t shift = bucket / kBuckets - 1;
    const std::uint64_t first = (kBuckets + bucket % kBuckets) << shift;
    return first + ((std::uint64_t{1} << shift) - 1);
}

std::chrono::nanoseconds Histogram::percentile(double share) const {
    if (count_ == 0) return {};
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)))
    );
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
        seen += counts_[bucket];
        if (seen >= wanted) return std::chrono::nanoseconds(std::min(end_of(bucket), max_));
    }
    return max();
}

}  // namespace twinsite::tools::load
