// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/load_share.hpp"

#include <algorithm>
#include <cmath>

namespace twinsite::gslb::steering {

std::uint16_t wanted_share(double percent, const LoadLimits& limits) {
    const double low = limits.low_percent;
    const double high = limits.high_percent;
    if (!(percent > low)) return 1000;
    if (percent >= high) return 0;
    return static_cast<std::uint16_t>(std::lround(1000 * (high - percent) / (high - low)));
}

void LoadShare::report(double percent, std::uint64_t seq, std::chrono::milliseconds heard_at) {
    // A reporter that started again counts from the beginning; what it says later is later.
    const bool newer = !last_ || seq > last_->seq || heard_at > last_->heard_at;
    if (newer) last_ = {percent, seq, heard_at};
}

std::uint16_t LoadShare::advance(const LoadLimits& limits, std::chrono::milliseconds now) {
    const std::chrono::milliseconds period = limits.period;
    const bool heard = last_ && now - last_->heard_at <= kHeardPeriods * period;
    const int wanted = heard ? wanted_share(last_->percent, limits) : 1000;
    if (!stepped_) stepped_ = now - period;  // the first report may move at once
    std::int64_t steps = (now - *stepped_) / period;
    if (steps <= 0) return share_;
    *stepped_ += steps * period;
    steps = std::min<std::int64_t>(steps, 1000);
    const auto most = static_cast<int>(std::min<std::int64_t>(steps * limits.step_permille, 1000));
    const int move = std::clamp(wanted - int{share_}, -most, most);
    share_ = static_cast<std::uint16_t>(share_ + move);
    return share_;
}

}  // namespace twinsite::gslb::steering
