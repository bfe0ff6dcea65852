// SPDX-License-Identifier: Apache-2.0
#include "switchover/rto_clock.hpp"

#include <algorithm>
#include <limits>

namespace twinsite::switchover {
namespace {

using Stop = RtoClock::Stop;

RtoClock::WallMs begin_of(const Stop& stop) {
    return stop.last_good.value_or(stop.first_bad);
}

RtoClock::WallMs end_of(const Stop& stop) {
    return stop.over.value_or(std::numeric_limits<RtoClock::WallMs>::max());
}

std::optional<Stop> together(const std::vector<Stop>& stops) {
    std::optional<Stop> out;
    bool all_over = true;
    for (const auto& stop : stops) {
        if (!out) out = stop;
        out->first_bad = std::min(out->first_bad, stop.first_bad);
        if (stop.last_good)
            out->last_good = std::min(out->last_good.value_or(*stop.last_good), *stop.last_good);
        if (stop.over) out->over = std::max(out->over.value_or(0), *stop.over);
        all_over = all_over && stop.over;
    }
    if (out && !all_over) out->over.reset();
    return out;
}

}  // namespace

void RtoClock::observe(const std::string& name, bool good, WallMs at) {
    const auto [entry, first] = views_.try_emplace(name);
    auto& view = entry->second;
    if (first && resumed_ && at < resumed_->until)
        view.stops.push_back({resumed_->last_good, at, {}});
    // Nobody knows how users were meanwhile.
    if (!first && at - view.seen > kSilent.count()) {
        view.last_good.reset();
        view.good_since.reset();
    }
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

std::vector<RtoClock::Stop> RtoClock::known_stops(WallMs now) const {
    std::vector<Stop> out;
    for (const auto& [name, view] : views_)
        for (const auto& stop : view.stops)
            if (stop.over || now - view.seen <= kSilent.count()) out.push_back(stop);
    return out;
}

std::optional<RtoClock::Stop> RtoClock::stops_since(
    WallMs since, WallMs now, std::optional<WallMs> fired
) const {
    std::vector<Stop> before;
    std::vector<Stop> chosen;
    for (const auto& stop : known_stops(now)) {
        if (end_of(stop) < since) continue;
        (begin_of(stop) <= fired.value_or(now) ? before : chosen).push_back(stop);
    }
    // The last one first; what ended earlier joins as long as it reaches into those that did.
    std::sort(before.begin(), before.end(), [](const Stop& a, const Stop& b) {
        return end_of(a) > end_of(b);
    });
    std::optional<WallMs> begins;
    for (const auto& stop : before) {
        if (begins && end_of(stop) < *begins) break;
        begins = std::min(begins.value_or(begin_of(stop)), begin_of(stop));
        chosen.push_back(stop);
    }
    return together(chosen);
}

std::optional<RtoClock::Stop> RtoClock::stops_begun_since(WallMs since, WallMs now) const {
    auto stops = known_stops(now);
    std::erase_if(stops, [since](const Stop& stop) { return stop.first_bad < since; });
    return together(stops);
}

}  // namespace twinsite::switchover
