// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

std::string number(double value) {
    char out[32];
    std::snprintf(out, sizeof out, "%g", value);
    return out;
}

/// Why a fact is not as it must be; empty when it is, or when nobody knows.
std::string wrong_fact(Chain& chain, const Dependency& wanted, const std::string& site) {
    const Fact* const fact = chain.facts.find(wanted.fact, site);
    if (fact == nullptr || !fact->fresh) {
        chain.note(wanted.fact + " at " + site + " is not known: it does not count");
        return "";
    }
    if (wanted.least && fact->value < *wanted.least)
        return wanted.fact + " is " + number(fact->value) + ", below " + number(*wanted.least);
    if (wanted.most && fact->value > *wanted.most)
        return wanted.fact + " is " + number(fact->value) + ", above " + number(*wanted.most);
    return "";
}

/// Why the service it needs is missing at the site; empty when it is there, or has no target there
/// at all.
std::string wrong_service(const Chain& chain, const Dependency& wanted, SiteIndex site) {
    if (wanted.service >= chain.facts.services.size()) return "";
    const Service& service = chain.steering.services[wanted.service];
    const auto& states = chain.facts.services[wanted.service];
    bool any = false;
    for (std::size_t i = 0; i < service.targets.size(); ++i) {
        if (service.targets[i].site != site) continue;
        const Forced word = word_of(states[i]);
        any = true;
        if (word == Forced::up) return "";
        if (word == Forced::none && states[i].health != Health::down) return "";
        if (word == Forced::drain && states[i].health != Health::down) return "";
    }
    return any ? "service " + service.name + " is down at " + chain.steering.sites[site] : "";
}

std::string wrong(Chain& chain, const Filter& filter, std::size_t index) {
    const SiteIndex site = chain.target(index).site;
    for (const Dependency& wanted : filter.dependencies) {
        auto out = wanted.fact.empty() ? wrong_service(chain, wanted, site)
                                       : wrong_fact(chain, wanted, chain.steering.sites[site]);
        if (!out.empty()) return out;
    }
    return "";
}

}  // namespace

void apply_depends(Chain& chain, const Filter& filter) {
    std::vector<std::size_t> rest;
    for (const std::size_t index : chain.kept) {
        // An operator's "up" stands above everything that is measured.
        const bool forced_up = word_of(chain.states[index]) == Forced::up;
        const std::string reason = forced_up ? std::string() : wrong(chain, filter, index);
        if (reason.empty()) {
            rest.push_back(index);
            continue;
        }
        chain.failed.push_back(index);
        chain.dropped(index, reason);
    }
    chain.kept.swap(rest);
    std::erase_if(chain.drained, [&](std::size_t index) {
        return !wrong(chain, filter, index).empty();
    });
    if (chain.kept.empty() && !chain.failed.empty())
        chain.note("none is as it must be: as if all were down");
}

}  // namespace twinsite::gslb::steering
