// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/steering/decide.hpp"

namespace twinsite::gslb::steering {

/// The candidates of one decision on their way through the filters. Owned by one call of decide();
/// each filter takes candidates away or reorders them, and says why when somebody listens.
struct Chain {
    // fixed for the decision
    const Steering& steering;
    const Policy& policy;
    const Service& service;
    std::span<const TargetState> states;  ///< by target
    std::span<const SiteIndex> listed;
    base::text::Family family;

    // what the filters change
    std::vector<std::size_t> kept{};     ///< targets, best first
    std::vector<std::size_t> drained{};  ///< set aside by `override` for when nothing else is left
    bool draw_one = false;               ///< `weighted` was there
    Trace::Stage* stage = nullptr;       ///< of the running filter; null when nobody listens

    const Target& target(std::size_t index) const { return service.targets[index]; }
    void note(const std::string& text);
    void dropped(std::size_t index, const std::string& reason);

    /// Keeps the candidates for which `stays` is true; the others are dropped with `reason`.
    template <class Stays>
    void keep_if(Stays stays, const std::string& reason) {
        std::vector<std::size_t> rest;
        for (const std::size_t index : kept) {
            if (stays(index))
                rest.push_back(index);
            else
                dropped(index, reason);
        }
        kept.swap(rest);
    }
    /// Sorts the candidates by the place of their site in `order`; equal ones stay as they are.
    void sort_by_site(const SiteOrder& order);
    /// "east, west".
    std::string site_names(std::span<const SiteIndex> sites) const;
};

/// Takes out what an operator forced down or switchover wants out, and sets aside what drains.
void apply_override(Chain& chain);
/// Keeps what is up; without any, what is unknown, then what drains, then by AllDown.
void apply_up(Chain& chain);
/// Orders by the client's class.
void apply_nearest(Chain& chain, const Filter& filter);
/// Keeps the targets of the first site.
void apply_failover(Chain& chain, const Filter& filter);
/// Leaves those with a weight; one is drawn for each query.
void apply_weighted(Chain& chain);

}  // namespace twinsite::gslb::steering
