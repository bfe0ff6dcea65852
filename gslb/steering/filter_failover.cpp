// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

/// Whether a site that came back still waits.
bool waits(const TargetState& state, const Filter& filter) {
    if (!state.returned || word_of(state) == Forced::up) return false;
    switch (filter.fail_back) {
        case FailBack::manual:
            return true;
        case FailBack::delayed:
            return state.returned_for_s < filter.delay.count();
        case FailBack::automatic:
            break;
    }
    return false;
}

/// Whether a filter before has put the sites into an order.
bool is_ordered(const Chain& chain) {
    const auto& filters = chain.policy.filters;
    return std::any_of(filters.begin(), filters.end(), [](const Filter& filter) {
        return filter.kind == FilterKind::nearest;
    });
}

/// Puts what waits behind the rest, so that it is used only when nothing else is left.
void put_waiting_last(Chain& chain, const Filter& filter) {
    if (filter.fail_back == FailBack::automatic) return;
    const auto stays = [&](std::size_t index) { return !waits(chain.states[index], filter); };
    const auto rest = std::stable_partition(chain.kept.begin(), chain.kept.end(), stays);
    if (chain.stage == nullptr) return;
    for (auto each = rest; each != chain.kept.end(); ++each)
        chain.note(
            chain.target(*each).name + " is back and waits for " +
            (filter.fail_back == FailBack::manual ? "an operator" : "its delay")
        );
}

std::uint64_t mean_share(const Chain& chain, SiteIndex site) {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (const std::size_t index : chain.kept) {
        if (chain.target(index).site != site) continue;
        sum += chain.states[index].share_permille;
        ++count;
    }
    return sum / count;
}

/// Each site takes its share of what the sites before it left over.
std::vector<Chain::SiteOdds> find_spill(const Chain& chain) {
    std::vector<Chain::SiteOdds> out;
    std::uint64_t left = Chain::kWhole;
    std::vector<SiteIndex> seen;
    for (const std::size_t index : chain.kept) {
        const SiteIndex site = chain.target(index).site;
        if (std::find(seen.begin(), seen.end(), site) != seen.end()) continue;
        seen.push_back(site);
        const std::uint64_t takes = left * mean_share(chain, site) / 1000;
        if (takes > 0) out.push_back({site, static_cast<std::uint32_t>(takes)});
        left -= takes;
    }
    return out;
}

void spill_over(Chain& chain) {
    auto spill = find_spill(chain);
    if (spill.size() < 2) return;
    chain.spill = std::move(spill);
    chain.keep_if(
        [&](std::size_t index) {
            return std::any_of(chain.spill.begin(), chain.spill.end(), [&](const auto& each) {
                return each.site == chain.target(index).site;
            });
        },
        "overloaded, or the sites before it take all"
    );
    if (chain.stage == nullptr) return;
    std::uint64_t sum = 0;
    for (const auto& each : chain.spill) sum += each.odds;
    for (const auto& each : chain.spill)
        chain.note(
            "site " + chain.steering.sites[each.site] + " takes " +
            std::to_string(std::uint64_t{each.odds} * 100 / sum) + " %"
        );
}

}  // namespace

void apply_failover(Chain& chain, const Filter& filter) {
    if (!filter.order.empty()) {
        chain.sort_by_site(complete(filter.order, default_order(chain.steering)));
        if (chain.stage != nullptr) chain.note("order " + chain.site_names(filter.order));
    } else if (!is_ordered(chain)) {
        chain.sort_by_site(default_order(chain.steering));
    }
    put_waiting_last(chain, filter);
    if (chain.kept.empty()) return;
    if (chain.shares_count) spill_over(chain);
    if (!chain.spill.empty()) return;
    SiteIndex best = chain.target(chain.kept.front()).site;
    if (chain.shares_count) {
        // One site alone has something to give, and it need not be the first.
        const auto only = find_spill(chain);
        if (only.empty()) chain.note("all sites are overloaded: load does not count");
        if (!only.empty()) best = only.front().site;
    }
    chain.keep_if(
        [&](std::size_t index) { return chain.target(index).site == best; },
        "site " + chain.steering.sites[best] + " comes first"
    );
}

}  // namespace twinsite::gslb::steering
