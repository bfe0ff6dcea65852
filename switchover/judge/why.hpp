// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"

/// The record that says why: every gate with value, need, age and source. Made when asked for.
namespace twinsite::switchover::judge {

class Condition;

std::vector<Gate> explain_fact(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
);
std::vector<Gate> problems_of(const Parts& parts, std::size_t site);
std::vector<Gate> brakes_of(const Parts& parts, std::size_t site);

/// The gates of a condition that is to fire: level, M of N, `for`; or that it has no data or too
/// little volume. `what` names the metric, `source` who measured.
std::vector<Gate> explain_condition(
    const Condition& condition, std::string_view what, std::string_view source, Time now
);

}  // namespace twinsite::switchover::judge
