// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/steering/state.hpp"

namespace twinsite::gslb::steering {

/// One measured number about the world, for example the success rate of a database.
struct Fact {
    double value = 0;
    bool fresh = false;  ///< heard within its time to live; a stale fact says nothing
    bool operator==(const Fact&) const = default;
};

/// What a decision may look at beside the states of its own targets. A value: whoever keeps the
/// clock has judged ages already, so that equal facts give equal decisions.
struct Facts {
    /// By name, "db.success_rate" for all sites or "db.success_rate@east" for one.
    std::map<std::string, Fact, std::less<>> values;
    /// The states of all services' targets, as Steering lists them; may be empty: nothing is known
    /// of other services.
    std::span<const std::vector<TargetState>> services;

    /// The fact for a site, else the one for all; null when there is none.
    const Fact* find(std::string_view name, std::string_view site) const;
};

/// "no facts", for decisions that need none.
const Facts& no_facts();

}  // namespace twinsite::gslb::steering
