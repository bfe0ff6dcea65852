// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gslb/steering/decide.hpp"

namespace twinsite::gslb::steering {

/// How the members that stay are answered.
enum class Drawing : std::uint8_t { none, weighted, multi, sticky, rotate };

/// The candidates of one decision on their way through the filters. Owned by one call of decide();
/// each filter takes candidates away or reorders them, and says why when somebody listens.
struct Chain {
    // fixed for the decision
    const Steering& steering;
    const Policy& policy;
    const Service& service;
    std::span<const TargetState> states;  ///< by target
    std::span<const SiteIndex> listed;
    std::uint16_t type;
    const Facts& facts;

    // what the filters change
    std::vector<std::size_t> kept{};     ///< targets, best first
    std::vector<std::size_t> failed{};   ///< taken out by `depends`
    std::vector<std::size_t> drained{};  ///< set aside by `override` for when nothing else is left
    Drawing drawing = Drawing::none;     ///< `weighted`, `sticky` or `rotate` was there
    std::uint32_t take = 0;              ///< `first` after `rotate`; 0 = all
    bool shares_count = false;           ///< `load` was there
    bool last_resort = false;            ///< Policy::last_resort is answered in place of `kept`
    /// Sites whose overload goes to the next ones, with the odds of each out of kWhole (`failover`
    /// after `load`); empty: one site alone, or the filter was not there.
    struct SiteOdds {
        SiteIndex site = 0;
        std::uint32_t odds = 0;
        bool operator==(const SiteOdds&) const = default;
    };
    static constexpr std::uint32_t kWhole = 1'000'000;
    std::vector<SiteOdds> spill{};
    Trace::Stage* stage = nullptr;  ///< of the running filter; null when nobody listens

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
    /// Weight of a candidate, and its share when `load` was there: 0..65'535'000.
    std::uint32_t weight(std::size_t index) const;
};

/// Takes out what an operator forced down or switchover wants out, and sets aside what drains.
void apply_override(Chain& chain);
/// Takes out the targets whose facts or services are not as they must be.
void apply_depends(Chain& chain, const Filter& filter);
/// Keeps what is up; without any, what is unknown, then what drains, then by AllDown.
void apply_up(Chain& chain);
/// Orders by the client's class.
void apply_nearest(Chain& chain, const Filter& filter);
/// Lets the shares of load reports count from here on.
void apply_load(Chain& chain);
/// Keeps the targets of the first site.
void apply_failover(Chain& chain, const Filter& filter);
/// Leaves those with a weight; one, or each by itself, is drawn for each query.
void apply_weighted(Chain& chain, const Filter& filter);
/// Leaves those with a weight; each network of clients gets one of them, always the same.
void apply_sticky(Chain& chain, const Filter& filter);
/// Each query begins at another record.
void apply_rotate(Chain& chain);
/// Says that all that is left is answered.
void apply_all(Chain& chain);
/// Keeps the first Filter::count of the candidates.
void apply_first(Chain& chain, const Filter& filter);

}  // namespace twinsite::gslb::steering
