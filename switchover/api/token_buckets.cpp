// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/token_buckets.hpp"

#include <algorithm>

namespace twinsite::switchover::api {

double TokenBuckets::tokens(const Bucket& bucket, Time now) const {
    const std::chrono::duration<double, std::milli> since = now - bucket.filled;
    return std::min(burst_, bucket.tokens + since / period_);
}

/// Forgets full buckets, at most once a second: the walk is long when there are many.
bool TokenBuckets::make_room(Time now) {
    if (buckets_.size() < keys_) return true;
    if (swept_ != Time{} && now - swept_ < std::chrono::seconds(1)) return false;
    swept_ = now;
    std::erase_if(buckets_, [&](const auto& entry) { return tokens(entry.second, now) >= burst_; });
    return buckets_.size() < keys_;
}

bool TokenBuckets::take(const std::string& key, Time now) {
    auto at = buckets_.find(key);
    if (at == buckets_.end()) {
        if (!make_room(now)) return false;
        at = buckets_.emplace(key, Bucket{burst_, now}).first;
    }
    auto& bucket = at->second;
    bucket = {tokens(bucket, now), now};
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
}

void TokenBuckets::give_back(const std::string& key, Time now) {
    const auto at = buckets_.find(key);
    if (at == buckets_.end()) return;
    at->second = {std::min(burst_, tokens(at->second, now) + 1), now};
}

std::chrono::seconds TokenBuckets::wait(const std::string& key, Time now) const {
    const auto at = buckets_.find(key);
    const double missing = at == buckets_.end() ? 1 : std::max(0.0, 1 - tokens(at->second, now));
    return std::max(
        std::chrono::ceil<std::chrono::seconds>(missing * period_), std::chrono::seconds(1)
    );
}

}  // namespace twinsite::switchover::api
