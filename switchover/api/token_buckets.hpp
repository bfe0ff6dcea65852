// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace twinsite::switchover::api {

/// Limits how often each key may do something: `burst` at once, then one per `period`. Keys whose
/// bucket is full again are forgotten; with more than `keys` others, new ones are refused. One
/// thread. Told the time.
class TokenBuckets {
public:
    using Time = std::chrono::steady_clock::time_point;

    TokenBuckets(double burst, std::chrono::milliseconds period, std::size_t keys = 20'000)
        : burst_(burst), period_(period), keys_(keys) {}

    /// False: too often.
    bool take(const std::string& key, Time now);
    /// Gives a token back: what it was taken for turned out well.
    void give_back(const std::string& key, Time now);
    /// Until the next token of this key.
    std::chrono::seconds wait(const std::string& key, Time now) const;

private:
    struct Bucket {
        double tokens = 0;
        Time filled{};
    };
    double tokens(const Bucket& bucket, Time now) const;
    bool make_room(Time now);

    const double burst_;
    const std::chrono::duration<double, std::milli> period_;
    const std::size_t keys_;
    std::unordered_map<std::string, Bucket> buckets_;
    Time swept_{};
};

}  // namespace twinsite::switchover::api
