// SPDX-License-Identifier: Apache-2.0
#include "switchover/rto_clock.hpp"

#include <algorithm>

namespace twinsite::switchover {

void RtoClock::observe(const std::string& name, bool good, WallMs at) {
    const auto [entry, first] = views_.try_emplace(name);
    auto& view = entry->second;
    if (first && resumed_ && at < resumed_->until)
        view.stops.push_back({resumed_->last_good, at, {}});
    view.seen = at;
    const bool stopped = !view.stops.empty() && !view.stops.back().over;
    if (!good) {
        view.good_since.reset();
        if (stopped) return;
        view.stops.push_back({view.last_good, at, {}});
        if (view.stops.size() > kStopsKept) view.stops.pop_front();
        return;
    }
    if (!view.good_since) view.good_since = at;
    if (!stopped) {
        view.last_good = at;
        return;
    }
    if (at - *view.good_since < hold_ms_) return;
    view.stops.back().over = view.good_since;
    view.last_good = at;
}

std::optional<RtoClock::Stop> RtoClock::stops_since(WallMs since, WallMs now) const {
    std::optional<Stop> out;
    bool all_over = true;
    for (const auto& [name, view] : views_)
        for (const auto& stop : view.stops) {
            const bool silent = now - view.seen > kSilent.count();
            if (stop.over ? *stop.over < since : silent) continue;
            if (!out) out = Stop{stop.last_good, stop.first_bad, stop.over};
            out->first_bad = std::min(out->first_bad, stop.first_bad);
            if (stop.last_good)
                out->last_good =
                    std::min(out->last_good.value_or(*stop.last_good), *stop.last_good);
            if (!stop.over)
                all_over = false;
            else
                out->over = std::max(out->over.value_or(0), *stop.over);
        }
    if (out && !all_over) out->over.reset();
    return out;
}

}  // namespace twinsite::switchover
