// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "base/config/cursor.hpp"
#include "monitor/action/refusal.hpp"

namespace twinsite::monitor::action {

/// What a parameter's value may be.
struct OneOf {
    std::vector<std::string> words;
};
struct IntegerRange {
    std::int64_t min = 0;
    std::int64_t max = 0;
};
/// Matches the whole value; matching takes a time that grows with the value's length only.
struct Pattern {
    std::string text;
    std::regex compiled;
};
using Parameter = std::variant<OneOf, IntegerRange, Pattern>;

/// One thing that this machine does when asked, by name. Comes from a file of its operator only.
struct Action {
    std::string name;
    std::vector<std::string> command;  ///< Absolute path, then arguments with {parameter}s.
    std::map<std::string, Parameter> parameters;
    std::string user;  ///< Empty: the agent's own.
    std::chrono::milliseconds timeout{20'000};
    std::uint32_t max_parallel = 1;
    std::chrono::milliseconds min_gap{0};  ///< Between two starts.
};

using Actions = std::map<std::string, Action>;

/// `actions:` of actions.yaml, without a look at the programs.
Actions parse_actions(base::config::Cursor root);

/// The arguments to start with, or what is wrong with the values. A value may be at most
/// kMaxValueBytes long and hold no control bytes; one for a pattern may not begin with "-", so that
/// it cannot pass for an option.
std::variant<std::vector<std::string>, Refusal> bind(
    const Action& action, const std::map<std::string, std::string>& values
);
inline constexpr std::size_t kMaxValueBytes = 256;

}  // namespace twinsite::monitor::action
