// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/quota_meter.hpp"

#include <algorithm>

namespace twinsite::monitor::collect {
namespace {

double microseconds(CpuMeter::Time::duration span) {
    return std::chrono::duration<double, std::micro>(span).count();
}

}  // namespace

void QuotaMeter::add(const CpuQuota& reading, Time now) {
    if (!points_.empty()) {
        const auto& last = points_.back();
        const bool goes_on = now > last.at && reading.cpus == last.quota.cpus &&
                             reading.usage_us >= last.quota.usage_us;
        if (!goes_on) points_.clear();
    }
    points_.push_back({now, reading});
    while (points_.size() > 2 && now - points_[1].at >= CpuMeter::kLongestWindow)
        points_.pop_front();
}

std::optional<double> QuotaMeter::idle(std::chrono::milliseconds window) const {
    if (points_.size() < 2) return std::nullopt;
    const auto& newest = points_.back();
    auto from = points_.rbegin() + 1;
    while (newest.at - from->at < window && from + 1 != points_.rend()) ++from;
    if (newest.at - from->at < window / 2) return std::nullopt;
    const auto used = static_cast<double>(newest.quota.usage_us - from->quota.usage_us);
    const auto share = used / (microseconds(newest.at - from->at) * newest.quota.cpus);
    return std::clamp(100.0 * (1.0 - share), 0.0, 100.0);
}

std::optional<double> QuotaMeter::throttled() const {
    if (points_.size() < 2) return std::nullopt;
    const auto& newest = points_.back();
    const auto& before = points_[points_.size() - 2];
    const auto waited =
        newest.quota.throttled_us - std::min(before.quota.throttled_us, newest.quota.throttled_us);
    const auto share = static_cast<double>(waited) / microseconds(newest.at - before.at);
    return std::clamp(100.0 * share, 0.0, 100.0);
}

}  // namespace twinsite::monitor::collect
