// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/cursor.hpp"
#include "switchover/scenario/names.hpp"
#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover::scenario {

inline constexpr std::size_t kMaxSteps = 100;
inline constexpr std::size_t kMaxSourceBytes = 256 * 1024;

/// Reads a scenario file. All that is wrong with it becomes findings with line and column: unknown
/// keys, actions, checks and names, wrong parameters, needs in a circle. A scenario with findings
/// must not run.
Scenario parse_scenario(base::config::Cursor at, const Names& known);

/// A scenario with what was found in its text. `asked`: the keys of the language.
struct Parsed {
    Scenario scenario;
    std::vector<base::config::Finding> findings;
    std::set<std::string> asked;
    bool good() const { return findings.empty(); }
};
/// The same from the text of a file; `name_of_file` is for the findings.
Parsed parse_source(const std::string& text, const std::string& name_of_file, const Names& known);

}  // namespace twinsite::switchover::scenario
