// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace twinsite::cli::demo {

std::uint32_t Tally::quantile_us(double share) const {
    if (latencies_us.empty()) return 0;
    auto sorted = latencies_us;
    // The nearest rank: the smallest value that at least `share` of them do not exceed.
    const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
    const auto index = std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(rank) - 1, 0, static_cast<std::ptrdiff_t>(sorted.size()) - 1
    );
    std::nth_element(sorted.begin(), sorted.begin() + index, sorted.end());
    return sorted[static_cast<std::size_t>(index)];
}

std::optional<Outage> Ledger::good(std::size_t site, Time now, std::chrono::microseconds latency) {
    ++stretch_.good.at(site);
    ++total_.good.at(site);
    stretch_.latencies_us.push_back(
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(latency.count(), 0, UINT32_MAX))
    );
    const auto before = std::exchange(last_good_, now);
    if (!before || now - *before <= outage_limit_) return std::nullopt;
    outages_.push_back({*before, now});
    return outages_.back();
}

void Ledger::not_good() {
    ++stretch_.not_good;
    ++total_.not_good;
}

Tally Ledger::take_stretch() {
    return std::exchange(stretch_, Tally{});
}

}  // namespace twinsite::cli::demo
