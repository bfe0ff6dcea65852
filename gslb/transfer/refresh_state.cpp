// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/refresh_state.hpp"

#include <algorithm>

namespace twinsite::gslb::transfer {

namespace {

RefreshState::Seconds bounded(std::uint32_t seconds) {
    return std::clamp(RefreshState::Seconds(seconds), RefreshState::kLeast, RefreshState::kMost);
}

}  // namespace

void RefreshState::restored(const Soa& soa, Time now, Seconds age) {
    confirmed(soa, now);
    confirmed_at_ = now - std::max(age, Seconds(0));
    next_ = now;
    expire(now);
}

void RefreshState::confirmed(const Soa& soa, Time now) {
    refresh_ = bounded(soa.refresh_s);
    retry_ = bounded(soa.retry_s);
    // A copy must outlive the asking for it.
    expire_ = std::max(bounded(soa.expire_s), refresh_ + retry_);
    phase_ = Phase::current;
    confirmed_at_ = now;
    failing_since_.reset();
    next_ = now + refresh_;
}

void RefreshState::failed(Time now) {
    if (!failing_since_) failing_since_ = now;
    if (phase_ == Phase::current) phase_ = Phase::stale;
    next_ = now + retry_;
    if (phase_ == Phase::empty) retry_ = std::min(retry_ * 2, kLastRetry);
}

void RefreshState::ask_now(Time now) {
    next_ = std::min(next_, now);
}

bool RefreshState::expire(Time now) {
    const auto at = expires();
    if (!at || now < *at) return false;
    phase_ = Phase::expired;
    if (!failing_since_) failing_since_ = now;
    return true;
}

std::optional<RefreshState::Time> RefreshState::expires() const {
    if (phase_ == Phase::empty || phase_ == Phase::expired) return std::nullopt;
    return *confirmed_at_ + expire_;
}

const char* to_string(RefreshState::Phase phase) noexcept {
    switch (phase) {
        case RefreshState::Phase::empty:
            return "empty";
        case RefreshState::Phase::current:
            return "current";
        case RefreshState::Phase::stale:
            return "stale";
        case RefreshState::Phase::expired:
            break;
    }
    return "expired";
}

}  // namespace twinsite::gslb::transfer
