// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"

namespace twinsite::switchover::judge {

/// What a condition is about, found in the plan.
struct Subject {
    const FactForm* form = nullptr;
    std::size_t index = 0;               ///< of the site, host, member or service
    std::vector<std::size_t> processes;  ///< may be empty: no report named it yet
};
/// nullopt: no such condition, wrong number of arguments, or no such entity.
std::optional<Subject> find_subject(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
);

std::optional<Fact> find_fact(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
);

/// Whether another process of the same name, anywhere at the same place, is well.
bool sister_ok(const Parts& parts, const std::vector<std::size_t>& processes);
/// Whether another site is OK.
bool other_site_ok(const Parts& parts, std::size_t site);

}  // namespace twinsite::switchover::judge
