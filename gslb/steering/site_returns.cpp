// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/site_returns.hpp"

#include <algorithm>
#include <set>

namespace twinsite::gslb::steering {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What the policies of a service ask of a site that is back.
struct Wanted {
    bool manual = false;
    std::set<seconds> delays;
    bool any() const { return manual || !delays.empty(); }
};

Wanted wanted_of(const Steering& steering, std::size_t service) {
    Wanted out;
    for (const Policy& policy : steering.policies) {
        if (policy.service != service) continue;
        for (const Filter& filter : policy.filters) {
            if (filter.kind != FilterKind::failover) continue;
            if (filter.fail_back == FailBack::manual) out.manual = true;
            if (filter.fail_back == FailBack::delayed) out.delays.insert(filter.delay);
        }
    }
    return out;
}

enum class SiteHealth : std::uint8_t { lost, back, unknown };

/// By the checks alone; a target that was never asked says nothing.
SiteHealth health_of(
    const Service& service, SiteIndex site, std::span<const TargetState> states, bool& forced_up
) {
    bool any_unknown = false;
    bool any_up = false;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (service.targets[i].site != site) continue;
        any_unknown |= states[i].health == Health::unknown;
        any_up |= states[i].health == Health::up;
        forced_up |= word_of(states[i]) == Forced::up;
    }
    if (any_up) return SiteHealth::back;
    return any_unknown ? SiteHealth::unknown : SiteHealth::lost;
}

}  // namespace

void SiteReturns::update(
    const Steering& steering, std::size_t number, std::span<TargetState> states, milliseconds now
) {
    if (number == 0) next_.reset();  // services are updated in their order
    const Service& service = steering.services[number];
    const Wanted wanted = wanted_of(steering, number);
    std::set<SiteIndex> sites;
    for (const Target& target : service.targets) sites.insert(target.site);
    for (const SiteIndex site : sites) {
        const Key key{service.name, steering.sites[site]};
        bool forced_up = false;
        const SiteHealth health = health_of(service, site, states, forced_up);
        if (!wanted.any() || forced_up) {
            entries_.erase(key);
            continue;
        }
        if (health == SiteHealth::lost) entries_[key].back_since.reset();
        const auto entry = entries_.find(key);
        if (entry == entries_.end() || health != SiteHealth::back) continue;
        auto& back_since = entry->second.back_since;
        if (!back_since) back_since = now;
        seconds passed{0};
        for (const seconds delay : wanted.delays) {
            if (now - *back_since >= delay)
                passed = std::max(passed, delay);
            else
                next_ = std::min(next_.value_or(milliseconds::max()), *back_since + delay);
        }
        const bool all_passed = wanted.delays.empty() || passed == *wanted.delays.rbegin();
        if (!wanted.manual && all_passed) {
            entries_.erase(entry);
            continue;
        }
        for (std::size_t i = 0; i < states.size(); ++i) {
            if (service.targets[i].site != site) continue;
            states[i].returned = true;
            states[i].returned_for_s = static_cast<std::uint32_t>(passed.count());
        }
    }
}

bool SiteReturns::release(const std::string& service, const std::string& site) {
    const auto found = entries_.find({service, site});
    // What is still lost stays remembered: it is not back.
    if (found == entries_.end() || !found->second.back_since) return false;
    entries_.erase(found);
    return true;
}

}  // namespace twinsite::gslb::steering
