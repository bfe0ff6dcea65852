// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/series_limit.hpp"

namespace twinsite::switchover::fleet {
namespace {

constexpr std::chrono::hours kForgetAfter{24};
constexpr std::chrono::minutes kSweepEvery{1};  // a full one is asked often

}  // namespace

bool SeriesLimit::take(const std::string& metric, Time now) {
    if (const auto known = last_.find(metric); known != last_.end()) {
        known->second = now;
        return true;
    }
    if (last_.size() >= kMost) {
        if (swept_ != Time{} && now - swept_ < kSweepEvery) return false;
        swept_ = now;
        std::erase_if(last_, [now](const auto& each) { return now - each.second > kForgetAfter; });
        if (last_.size() >= kMost) return false;
    }
    last_.emplace(metric, now);
    return true;
}

}  // namespace twinsite::switchover::fleet
