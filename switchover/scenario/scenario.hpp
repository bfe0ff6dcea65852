// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "switchover/scenario/expression.hpp"

/// The run-book language: scenarios as values, what is wrong with them, and the machine that runs
/// them. Pure. docs/operator/scenarios.md describes the language.
namespace twinsite::switchover::scenario {

using Milliseconds = std::chrono::milliseconds;

struct Text {
    std::string en;
    std::string zh;  ///< The English text when none is given.
    bool operator==(const Text&) const = default;
};

enum class Mode { automatic, semi, off };
enum class Kind { site_down, failback, other };
enum class OnFail { pause, proceed, ignore, abort, rollback };

/// One thing to do, from the registry in actions.hpp, which has checked the parameters.
struct Action {
    std::string name;  ///< "gslb.set"; empty: nothing to do.
    std::map<std::string, std::string> parameters;
    bool operator==(const Action&) const = default;
};

/// When the scenario fires: all of `all`, and one of `any` when there are some, without a break for
/// `lasting`, and none of `unless`. No `all` and no `any`: only people start it.
struct Trigger {
    std::vector<Expression> all;
    std::vector<Expression> any;
    std::vector<Expression> unless;
    Milliseconds lasting{0};  ///< Beside what the judge waits by itself before it says "down".
    bool empty() const { return all.empty() && any.empty(); }
};

/// A question to a person instead of an action.
struct Human {
    Text ask;
    Milliseconds wait{0};
    bool proceed_on_timeout = false;  ///< Else the step fails.
};

struct Step {
    std::string id;  ///< [a-z0-9-]{1,24}
    Text title;
    std::vector<std::string> needs;
    Action act;
    std::optional<Action> undo;
    std::optional<Human> human;
    std::vector<Expression> pre;   ///< Must hold before the action.
    std::vector<Expression> post;  ///< Must come true after it, within `timeout`.
    Milliseconds timeout{20'000};  ///< Of one try: checks, action on all targets, checks.
    unsigned tries = 1;            ///< 1..10
    Milliseconds backoff{2'000};   ///< Between tries.
    OnFail on_fail = OnFail::pause;
    std::vector<std::string> targets;  ///< `each`: host ids; empty: the step has no targets.
    unsigned parallel = 20;            ///< Targets at work at once.
    unsigned allow_fail_percent = 0;   ///< Of the targets.
};

struct Verify {
    std::vector<Expression> check;
    Milliseconds hold{0};         ///< How long all must be true without a break.
    Milliseconds within{60'000};  ///< The latest end of `hold`.
};

struct Scenario {
    std::string name;  ///< [a-z0-9-]{1,63}
    Text title;
    Kind kind = Kind::other;
    std::string site;  ///< The site it takes out or brings back; empty with Kind::other.
    Mode mode = Mode::semi;
    std::vector<std::string> locks;  ///< Sorted. Two runs with a lock in common exclude each other.
    std::optional<Milliseconds> rto_target;
    Trigger trigger;
    std::vector<Expression> require;  ///< Must hold when a run starts.
    std::vector<Expression> safety;   ///< Must hold when a run starts and before each action.
    std::optional<Milliseconds> approval_wait;  ///< Set: a person must approve within.
    std::map<std::string, std::vector<std::string>> variants;  ///< Name -> steps left out.
    std::vector<Step> steps;
    Verify verify;
    Milliseconds limit{3'600'000};  ///< Of a whole run, people's waiting included.
    Milliseconds cooldown{0};       ///< After an automatic run.
    std::string failback;           ///< The scenario that undoes this one; may be empty.

    /// nullptr when there is no such step.
    const Step* find_step(const std::string& id) const;
};

const char* to_string(Mode mode);  ///< auto | semi | off
const char* to_string(Kind kind);  ///< site-down | failback | other
std::optional<Mode> parse_mode(const std::string& text);

}  // namespace twinsite::switchover::scenario
