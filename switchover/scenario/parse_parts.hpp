// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "switchover/scenario/names.hpp"
#include "switchover/scenario/scenario.hpp"

/// The parts of `parse_scenario`, for its own files.
namespace twinsite::switchover::scenario {

using base::config::Cursor;

enum class Use { trigger, check };

inline constexpr std::size_t kMaxList = 200;  ///< Items of any list.

/// Items of a list, of a length that can be borne.
std::vector<Cursor> bounded_items(Cursor at);
std::vector<std::string> parse_words(Cursor at);
/// [a-z0-9-], 1 to `longest` of them; else a finding.
void check_id(const Cursor& at, const std::string& id, std::size_t longest);
Text parse_text(Cursor at);
/// A trigger may only ask what the judge knows at any time.
std::vector<Expression> parse_expressions(Cursor at, const Names& known, Use use);
/// `{gslb.set: {site: east, state: out}}`
Action parse_action(Cursor at, const Names& known, bool host_given);
OnFail parse_on_fail(Cursor& at, OnFail fallback);

struct StepDefaults {
    Milliseconds timeout{20'000};
    unsigned tries = 1;
    Milliseconds backoff{2'000};
    OnFail on_fail = OnFail::pause;
};
StepDefaults parse_defaults(Cursor at);
std::vector<Step> parse_steps(Cursor at, const Names& known, const StepDefaults& defaults);

}  // namespace twinsite::switchover::scenario
