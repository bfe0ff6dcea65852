// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/model/plan.hpp"

namespace twinsite::switchover::judge {

/// The places of a plan by number: first the business sites in their order, then the others.
class Places {
public:
    explicit Places(const model::Plan& plan) {
        for (const auto& site : plan.sites) add(site.name);
        judge_ = add(plan.site);
        for (const auto& monitor : plan.monitors) add(monitor.site);
        for (const auto& agent : plan.agents) add(agent.site);
        for (const auto& member : plan.gslbs) add(member.site);
        for (const auto& member : plan.slbs) add(member.site);
    }

    std::size_t size() const { return names_.size(); }
    const std::string& name(std::size_t place) const { return names_[place]; }
    /// Number of a place of the plan.
    std::size_t of(std::string_view name) const {
        return static_cast<std::size_t>(
            std::find(names_.begin(), names_.end(), name) - names_.begin()
        );
    }
    /// Where this server stands.
    std::size_t judge() const { return judge_; }

private:
    std::size_t add(const std::string& name) {
        const auto at = of(name);
        if (at == names_.size()) names_.push_back(name);
        return at;
    }

    std::vector<std::string> names_;
    std::size_t judge_ = 0;
};

/// Whether anything fresh was heard from each place; by number.
using Heard = std::vector<bool>;

}  // namespace twinsite::switchover::judge
