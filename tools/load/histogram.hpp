// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

namespace twinsite::tools::load {

/// Counts durations in log-linear buckets: each octave of nanoseconds has 128, so a percentile is
/// at most 0.8 % above the true value; recording costs some nanoseconds and no memory.
class Histogram {
public:
    Histogram() : counts_(kOctaves * kBuckets) {}

    void record(std::chrono::nanoseconds duration) {
        const auto value = static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
        ++counts_[bucket_of(value)];
        ++count_;
        if (value > max_) max_ = value;
    }

    std::uint64_t count() const { return count_; }
    std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
    /// The smallest recorded value (rounded up to its bucket's end, never above the maximum) that
    /// at least this share, 0..1, does not exceed. Zero when nothing has been recorded.
    std::chrono::nanoseconds percentile(double share) const;

private:
    static constexpr unsigned kBucketBits = 7;
    static constexpr std::uint64_t kBuckets = std::uint64_t{1} << kBucketBits;
    static constexpr std::uint64_t kOctaves = 64 - kBucketBits + 1;

    static std::size_t bucket_of(std::uint64_t value) {
        if (value < kBuckets) return value;
        const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kBucketBits - 1;
        return (std::uint64_t{shift} + 1) * kBuckets + (value >> shift) - kBuckets;
    }
    static std::uint64_t end_of(std::size_t bucket);

    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;
};

}  // namespace twinsite::tools::load
