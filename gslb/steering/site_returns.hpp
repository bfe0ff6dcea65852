// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gslb/steering/policy.hpp"
#include "gslb/steering/state.hpp"

namespace twinsite::gslb::steering {

/// Remembers which sites of a service were lost and came back, for policies whose fail-back is not
/// automatic. Lost is a site whose checks found all targets down; what operators and switchover
/// take out and let in again is their own decision and needs no second one. Told the time.
class SiteReturns {
public:
    using Key = std::pair<std::string, std::string>;  ///< service, site
    struct Entry {
        /// Since when the site is back; none: it is still lost.
        std::optional<std::chrono::milliseconds> back_since;
        bool operator==(const Entry&) const = default;
    };

    /// Looks at the health in `states` and writes `returned` and `returned_for_s` there. A site is
    /// forgotten when it is back for longer than every delay of the service's policies and none of
    /// them is manual, and when an operator forces a target of it up.
    void update(
        const Steering& steering,
        std::size_t service,
        std::span<TargetState> states,
        std::chrono::milliseconds now
    );
    /// Lets a site have its clients again. False: it does not wait.
    bool release(const std::string& service, const std::string& site);

    /// When update() would next write something else without any change of health.
    std::optional<std::chrono::milliseconds> next_change() const { return next_; }
    const std::map<Key, Entry>& entries() const { return entries_; }
    void restore(std::map<Key, Entry> entries) { entries_ = std::move(entries); }

private:
    std::map<Key, Entry> entries_;
    std::optional<std::chrono::milliseconds> next_;
};

}  // namespace twinsite::gslb::steering
