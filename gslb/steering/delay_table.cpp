// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/delay_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace twinsite::gslb::steering {

bool DelayTable::report(
    const base::text::IpPrefix& prefix,
    SiteIndex site,
    double rtt_ms,
    std::chrono::milliseconds heard_at
) {
    if (!networks_.contains(prefix) && networks_.size() >= kMaxPrefixes) return false;
    auto& sites = networks_[prefix].sites;
    const auto known = sites.find(site);
    if (known == sites.end()) {
        sites.emplace(site, Delay{rtt_ms, heard_at});
    } else if (heard_at > known->second.heard_at) {
        known->second.rtt_ms += (rtt_ms - known->second.rtt_ms) / 3;
        known->second.heard_at = heard_at;
    }
    return true;
}

bool DelayTable::settle(std::chrono::milliseconds now) {
    bool changed = false;
    PrefixLayer fresh;
    std::map<SiteOrder, std::uint32_t> lists;
    for (auto at = networks_.begin(); at != networks_.end();) {
        auto& sites = at->second.sites;
        std::erase_if(sites, [&](const auto& each) { return now - each.second.heard_at > kHeard; });
        changed = changed || (sites.empty() && !at->second.order.empty());
        at = sites.empty() ? networks_.erase(at) : std::next(at);
    }
    for (auto& [prefix, network] : networks_) {
        std::vector<std::pair<double, SiteIndex>> by_delay;
        for (const auto& [site, delay] : network.sites) by_delay.emplace_back(delay.rtt_ms, site);
        std::sort(by_delay.begin(), by_delay.end());
        SiteOrder order;
        for (const auto& [rtt, site] : by_delay) order.push_back(site);
        if (order.size() < 2) order.clear();
        // Who is first stays first while nobody is clearly nearer.
        if (!order.empty() && !network.order.empty() && order[0] != network.order[0]) {
            const auto old = network.sites.find(network.order[0]);
            const double best = by_delay[0].first;
            if (old != network.sites.end() &&
                old->second.rtt_ms < std::max(best * (1 + kBetterBy), best + kBetterByMs))
                order = complete({&network.order[0], 1}, order);
        }
        changed = changed || order != network.order;
        network.order = std::move(order);
        if (network.order.empty()) continue;
        const auto next = static_cast<std::uint32_t>(fresh.lists.size());
        const auto [list, is_new] = lists.emplace(network.order, next);
        if (is_new) fresh.lists.push_back(network.order);
        fresh.items.push_back({prefix, list->second});
    }
    layer_ = std::move(fresh);
    return changed;
}

}  // namespace twinsite::gslb::steering
