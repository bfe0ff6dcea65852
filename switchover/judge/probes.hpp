// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"
#include "switchover/judge/places.hpp"
#include "switchover/judge/recent.hpp"

namespace twinsite::switchover::judge {

/// The outside observers of one kind at one place: they share their fate and have one vote.
struct Bench {
    std::string name;  ///< "mon-west"; several: "gslbs of west"
    std::size_t place = 0;
    std::vector<std::size_t> observers;  ///< numbers
};

/// What observers (monitors, gslbs, this server) see of sites. An observer that does not report is
/// `unknown`, never `down`.
class Probes {
public:
    Probes(const model::Plan& plan, const Places& places, const Rules& rules);

    /// Number of an observer by its name or id.
    std::optional<std::size_t> find_observer(std::string_view name) const;
    const std::string& observer_name(std::size_t observer) const {
        return observers_[observer].name;
    }

    /// A result about a business site, by its number.
    void observe(std::size_t observer, std::size_t site, const ProbeReading& reading);
    /// Results seen so far do not count.
    void clear();
    void clear(std::size_t site);

    /// How one bench sees a site: up when one of its fresh results says up, down when all say down.
    Sees sees(const Bench& bench, std::size_t site, Time now) const;
    /// The newest result of a bench about a site.
    std::optional<Time> measured(const Bench& bench, std::size_t site) const;
    /// Those who look at `site` from outside.
    const std::vector<Bench>& outside(std::size_t site) const { return outside_[site]; }

private:
    struct Row {
        std::string name;  // of the probe
        std::size_t site = 0;
        Recent recent;
    };
    struct Observer {
        std::string name;
        std::string id;
        std::size_t place = 0;
        std::vector<Row> rows;
    };

    void seat(const model::Plan& plan, const Places& places);
    void add(std::string name, std::string id, std::size_t place, std::string_view several);

    const Rules& rules_;
    std::vector<Observer> observers_;
    std::vector<Bench> benches_;
    std::vector<std::vector<Bench>> outside_;  // by site
};

}  // namespace twinsite::switchover::judge
