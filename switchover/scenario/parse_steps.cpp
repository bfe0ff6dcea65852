// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "switchover/scenario/parse.hpp"
#include "switchover/scenario/parse_parts.hpp"

namespace twinsite::switchover::scenario {

namespace {

constexpr Milliseconds kShortest{100};
constexpr Milliseconds kLongest{3'600'000};
constexpr std::size_t kMaxStepIdBytes = 24;
constexpr std::size_t kMaxTargets = 500;  // so that a stored run stays below 1 MiB

void parse_pace(Cursor& at, StepDefaults& into) {
    into.timeout = at.in_range("timeout", kShortest, kLongest, into.timeout);
    into.tries = at.in_range<unsigned>("tries", 1, 10, into.tries);
    into.backoff = at.in_range("backoff", Milliseconds(0), kLongest, into.backoff);
    into.on_fail = parse_on_fail(at, into.on_fail);
}

/// "10%" or "0%".
unsigned parse_percent(Cursor at) {
    auto text = at.value<std::string>();
    if (!text.empty() && text.back() == '%') text.pop_back();
    const auto number = base::text::parse_number<unsigned>(text);
    if (number && *number <= 100) return *number;
    at.error("must be a share from 0% to 100%");
    return 0;
}

bool listed(const std::vector<std::string>& words, const std::string& word) {
    return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

/// `each: {site: west, kind: [interface]}` or `each: {hosts: [west/if1]}`: the hosts it means.
std::vector<std::string> parse_each(Cursor at, const Names& known) {
    std::vector<std::string> sites;
    std::vector<std::string> kinds;
    std::vector<std::string> hosts;
    if (auto site = at.find("site")) {
        sites.push_back(site->value<std::string>());
        if (!listed(known.sites, sites.front())) site->unknown("site", sites.front(), known.sites);
    }
    if (auto kind = at.find("kind")) kinds = parse_words(*kind);
    if (auto list = at.find("hosts")) hosts = parse_words(*list);
    at.finish();
    std::vector<std::string> ids;
    for (const auto& host : known.hosts) ids.push_back(host.id);
    for (const auto& host : hosts)
        if (!listed(ids, host) || ids.empty()) at.unknown("host", host, ids);
    std::vector<std::string> out;
    for (const auto& host : known.hosts) {
        const auto site = host.id.substr(0, host.id.find('/'));
        if (listed(sites, site) && listed(kinds, host.kind) && listed(hosts, host.id))
            out.push_back(host.id);
    }
    if (out.empty()) at.error("means no host of the configuration");
    return out;
}

Human parse_human(Cursor at) {
    Human out;
    out.ask = parse_text(at.child("ask"));
    out.wait = at.in_range("wait", kShortest, kLongest, Milliseconds(60'000));
    out.proceed_on_timeout = at.one_of("on_timeout", {"fail", "continue"}, 0) == 1;
    at.finish();
    return out;
}

void parse_work(Cursor& at, const Names& known, Step& into) {
    if (auto each = at.find("each")) into.targets = parse_each(*each, known);
    into.parallel = at.in_range<unsigned>("parallel", 1, 1'000, into.parallel);
    if (auto share = at.find("allow_fail")) into.allow_fail_percent = parse_percent(*share);
    const bool each = !into.targets.empty();
    if (auto human = at.find("human")) into.human = parse_human(*human);
    auto work = at.find("do");
    if (work) into.act = parse_action(*work, known, each);
    if (work.has_value() == into.human.has_value()) at.error("a step has either 'do' or 'human'");
    if (work && each && !into.act.name.empty() && into.act.name != "agent.run")
        at.error("'each' goes with agent.run only");
    if (auto undo = at.find("undo")) into.undo = parse_action(*undo, known, each);
    if (auto pre = at.find("pre")) into.pre = parse_expressions(*pre, known, Use::check);
    if (auto post = at.find("post")) into.post = parse_expressions(*post, known, Use::check);
}

Step parse_step(Cursor at, const Names& known, const StepDefaults& defaults) {
    Step out;
    if (auto id = at.child("id"); id.exists()) {
        out.id = id.value<std::string>();
        check_id(id, out.id, kMaxStepIdBytes);
    }
    out.title = {out.id, out.id};
    if (auto title = at.find("title")) out.title = parse_text(*title);
    if (auto needs = at.find("needs")) out.needs = parse_words(*needs);
    StepDefaults pace = defaults;
    parse_pace(at, pace);
    out.timeout = pace.timeout;
    out.tries = pace.tries;
    out.backoff = pace.backoff;
    out.on_fail = pace.on_fail;
    parse_work(at, known, out);
    at.finish();
    return out;
}

/// Takes away, round by round, the steps whose needs are all taken away; what is left goes round in
/// a circle.
std::set<std::string> in_circles(const std::vector<Step>& steps) {
    std::map<std::string, std::set<std::string>> left;
    for (const auto& step : steps) left[step.id] = {step.needs.begin(), step.needs.end()};
    const auto waits = [&left](const std::string& need) { return left.contains(need); };
    for (bool again = true; again;) {
        again = false;
        for (auto it = left.begin(); it != left.end();) {
            const auto& needs = it->second;
            const bool free = std::none_of(needs.begin(), needs.end(), waits);
            it = free ? left.erase(it) : std::next(it);
            again = again || free;
        }
    }
    std::set<std::string> out;
    for (const auto& [id, needs] : left) out.insert(id);
    return out;
}

void check_needs(const std::vector<Step>& steps, std::vector<Cursor>& places) {
    std::vector<std::string> ids;
    for (const auto& step : steps) ids.push_back(step.id);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (std::count(ids.begin(), ids.end(), ids[i]) > 1)
            places[i].error("there is another step '" + ids[i] + "'");
        for (const auto& need : steps[i].needs)
            if (std::find(ids.begin(), ids.end(), need) == ids.end())
                places[i].unknown("step", need, ids);
    }
    const auto circle = in_circles(steps);
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (circle.contains(steps[i].id))
            places[i].error("step '" + steps[i].id + "' waits for itself through its needs");
}

}  // namespace

StepDefaults parse_defaults(Cursor at) {
    StepDefaults out;
    parse_pace(at, out);
    at.finish();
    return out;
}

std::vector<Step> parse_steps(Cursor at, const Names& known, const StepDefaults& defaults) {
    auto places = bounded_items(at);
    if (places.size() > kMaxSteps) {
        at.error("a scenario has at most " + std::to_string(kMaxSteps) + " steps");
        places.erase(places.begin() + kMaxSteps, places.end());
    }
    std::vector<Step> out;
    for (auto& place : places) out.push_back(parse_step(place, known, defaults));
    if (out.empty() && at.exists()) at.error("there must be a step");
    std::size_t targets = 0;
    for (const auto& step : out) targets += step.targets.size();
    if (targets > kMaxTargets)
        at.error(
            "the 'each' of all steps together mean more than " + std::to_string(kMaxTargets) +
            " hosts"
        );
    check_needs(out, places);
    return out;
}

}  // namespace twinsite::switchover::scenario
