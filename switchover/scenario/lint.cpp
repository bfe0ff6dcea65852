// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/lint.hpp"

#include <algorithm>
#include <map>

#include "base/text/text.hpp"

namespace twinsite::switchover::scenario {

namespace {

/// The longest that a step can take before it counts as failed.
Milliseconds longest(const Step& step) {
    if (step.human) return step.human->wait;
    auto one_try = step.timeout;
    if (step.act.name == "wait")
        one_try = base::text::parse_duration(step.act.parameters.at("for")).value_or(one_try);
    return one_try * step.tries + step.backoff * (step.tries - 1);
}

/// Longest way to the end of a step through its needs; they have no circles.
Milliseconds end_of(
    const Scenario& scenario, const Step& step, std::map<std::string, Milliseconds>& known
) {
    if (const auto found = known.find(step.id); found != known.end()) return found->second;
    known[step.id] = Milliseconds(0);
    Milliseconds begin(0);
    for (const auto& need : step.needs)
        if (const auto* before = scenario.find_step(need))
            begin = std::max(begin, end_of(scenario, *before, known));
    return known[step.id] = begin + longest(step);
}

bool is_database(const Action& action) {
    const auto name = action.parameters.find("action");
    return action.name == "agent.run" && name != action.parameters.end() &&
           name->second.starts_with("db.");
}

void check_time(const Scenario& scenario, Lint& into) {
    if (!scenario.rto_target) {
        if (scenario.kind == Kind::site_down)
            into.remarks.push_back({"no-target", false, "there is no rto_target to compare with"});
        return;
    }
    const auto target = *scenario.rto_target;
    const auto show = base::text::format_duration;
    if (into.worst_case > target)
        into.remarks.push_back(
            {"too-slow",
             true,
             "the worst case of " + show(into.worst_case) + " is longer than the rto_target of " +
                 show(target)}
        );
    else if (into.with_approval > target)
        into.remarks.push_back(
            {"approval-too-slow",
             false,
             "the rto_target of " + show(target) + " holds only when the approval comes within " +
                 show(target - into.worst_case)}
        );
}

}  // namespace

bool Lint::auto_allowed() const {
    return std::none_of(remarks.begin(), remarks.end(), [](const Remark& remark) {
        return remark.refuses_auto;
    });
}

Lint lint(const Scenario& scenario, const Delays& delays) {
    Lint out;
    std::map<std::string, Milliseconds> known;
    for (const auto& step : scenario.steps)
        out.steps = std::max(out.steps, end_of(scenario, step, known));
    out.worst_case = delays.detection + scenario.trigger.lasting + out.steps + delays.dns_tail;
    if (!scenario.verify.check.empty()) out.worst_case += scenario.verify.within;
    out.with_approval = out.worst_case + scenario.approval_wait.value_or(Milliseconds(0));
    check_time(scenario, out);
    for (const auto& step : scenario.steps) {
        const bool database = is_database(step.act) || (step.undo && is_database(*step.undo));
        if (database)
            out.remarks.push_back(
                {"database-step",
                 true,
                 "step '" + step.id +
                     "' touches a database: a person must start it until writers fence themselves"}
            );
        if (step.human)
            out.remarks.push_back({"human-step", false, "step '" + step.id + "' asks a person"});
    }
    if (scenario.kind == Kind::failback)
        out.remarks.push_back({"failback", true, "a person decides when users go back"});
    if (scenario.verify.check.empty())
        out.remarks.push_back(
            {"no-verify", false, "nothing proves at the end that users are served"}
        );
    return out;
}

}  // namespace twinsite::switchover::scenario
