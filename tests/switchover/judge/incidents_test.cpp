// SPDX-License-Identifier: Apache-2.0
// Whole incidents, told to the judge: does it say act, propose, wait or refuse, and name the guard?
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/config/cursor.hpp"
#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using base::config::Cursor;
using base::config::Document;
using Words = std::vector<std::string>;

struct Step {
    Duration at{0};
    Words kill, heal, hosts_down, members_down, cut_off, cut, out_of_sync, maintenance;
    bool ask = false;
};

struct Incident {
    std::string name, judge, mode, scope;
    double capacity = 0;
    double load = 0;
    std::vector<Step> timeline;
    std::string verdict, guard;
    Duration from{0};
    Duration until{0};
};

Words words(Cursor& at, std::string_view key) {
    Words out;
    if (auto list = at.find(key))
        for (auto& item : list->items()) out.push_back(item.value<std::string>());
    return out;
}

Step parse_step(Cursor& at) {
    Step out;
    out.at = at.required<Duration>("at");
    out.kill = words(at, "kill");
    out.heal = words(at, "heal");
    out.hosts_down = words(at, "hosts_down");
    out.members_down = words(at, "members_down");
    out.cut_off = words(at, "cut_off");
    out.cut = words(at, "cut");
    out.out_of_sync = words(at, "out_of_sync");
    out.maintenance = words(at, "maintenance");
    out.ask = at.optional("ask", false);
    at.finish();
    return out;
}

Incident parse_incident(Cursor& at) {
    Incident out;
    out.name = at.required<std::string>("incident");
    out.judge = at.optional<std::string>("judge", "arbiter");
    out.mode = at.optional<std::string>("mode", "auto");
    out.scope = at.required<std::string>("scope");
    out.capacity = at.optional("capacity", 0.0);
    out.load = at.optional("load", 0.0);
    for (auto& step : at.child("timeline").items()) out.timeline.push_back(parse_step(step));
    auto expect = at.child("expect");
    out.verdict = expect.required<std::string>("verdict");
    out.guard = expect.optional<std::string>("guard", "");
    out.from = expect.optional("from", Duration{0});
    out.until = expect.required<Duration>("until");
    expect.finish();
    at.finish();
    return out;
}

std::vector<Incident> read_incidents() {
    const auto document =
        Document::load(std::string(SOURCE_ROOT) + "/tests/switchover/judge/data/incidents.yaml");
    std::vector<Incident> out;
    auto root = document.root();
    for (auto& item : root.child("incidents").items()) out.push_back(parse_incident(item));
    root.finish();
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    return out;
}

/// What the judge's record leads to: the rules of control.md 5 to 7 and 19 over it.
struct Advice {
    std::string verdict;  // act, propose, wait, refuse, idle
    std::set<std::string> guards;
};

Advice advise(World& world, const Incident& incident, bool asked) {
    const std::string target = incident.scope == "east" ? "west" : "east";
    const bool fires = world.is("site.down", incident.scope) == Truth::yes;
    if (!fires && !asked) return {world.state(incident.scope) == State::ok ? "idle" : "wait", {}};
    Advice out;
    for (const auto& gate : world.judge().brakes(incident.scope))
        if (!gate.ok) out.guards.insert(gate.code);
    for (const auto& code : world.failed_gates("site.ready", target)) out.guards.insert(code);
    // A living site is only moved by a person; what is too big, or judged from inside, is offered.
    const bool only_offered = asked || incident.mode != "auto" || !out.guards.empty();
    auto rest = out.guards;
    rest.erase("capacity");
    rest.erase("not-inside-site");
    if (!rest.empty())
        out.verdict = "refuse";
    else
        out.verdict = only_offered ? "propose" : "act";
    return out;
}

void apply(World& world, const Step& step) {
    for (const auto& site : step.kill) world.kill_site(site);
    for (const auto& place : step.heal) {
        world.revive_site(place);
        world.cut_off.erase(place);
    }
    world.dead_hosts.insert(step.hosts_down.begin(), step.hosts_down.end());
    world.dead_members.insert(step.members_down.begin(), step.members_down.end());
    world.cut_off.insert(step.cut_off.begin(), step.cut_off.end());
    world.out_of_sync.insert(step.out_of_sync.begin(), step.out_of_sync.end());
    if (step.cut.size() == 2) world.cuts.insert({step.cut[0], step.cut[1]});
    for (const auto& site : step.maintenance) world.judge().set_maintenance(site, true);
}

model::Plan plan_of(const Incident& incident) {
    auto plan = two_sites(incident.judge);
    if (incident.capacity > 0)
        for (auto& site : plan.sites) site.capacity_per_second = incident.capacity;
    return plan;
}

/// Plays it and checks each evaluation against what is expected.
void play(const Incident& incident) {
    World world(plan_of(incident));
    world.run(20s);
    auto next = incident.timeline.begin();
    bool asked = false;
    bool seen = false;
    bool suspected = false;
    for (auto t = Duration{0}; t <= incident.until; t += 500ms) {
        for (; next != incident.timeline.end() && next->at <= t; ++next) {
            apply(world, *next);
            asked = asked || next->ask;
        }
        if (incident.load > 0)
            for (const std::string site : {"east", "west"})
                world.judge().observe_load(site, incident.load, world.now());
        const auto advice = advise(world, incident, asked);
        const bool right = advice.verdict == incident.verdict &&
                           (incident.guard.empty() || advice.guards.contains(incident.guard));
        if (incident.verdict == "wait") {
            EXPECT_TRUE(advice.verdict == "wait" || advice.verdict == "idle")
                << incident.name << " at " << t.count() << " ms: " << advice.verdict;
            suspected = suspected || advice.verdict == "wait";
        } else if (t < incident.from) {
            EXPECT_TRUE(advice.verdict == "wait" || advice.verdict == "idle")
                << incident.name << " at " << t.count() << " ms: " << advice.verdict;
        } else {
            seen = seen || right;
            if (incident.verdict != "act") EXPECT_NE(advice.verdict, "act") << incident.name;
        }
        world.run(500ms);
    }
    EXPECT_TRUE(incident.verdict == "wait" ? suspected : seen)
        << incident.name << " never came to " << incident.verdict << " " << incident.guard;
}

TEST(Incidents, EachComesToItsVerdictInItsWindow) {
    const auto incidents = read_incidents();
    ASSERT_GE(incidents.size(), 15U);
    for (const auto& incident : incidents) play(incident);
}

TEST(Incidents, AllFourVerdictsAreTold) {
    std::set<std::string> verdicts;
    for (const auto& incident : read_incidents()) verdicts.insert(incident.verdict);
    EXPECT_EQ(verdicts, (std::set<std::string>{"act", "propose", "wait", "refuse"}));
}

}  // namespace
}  // namespace twinsite::switchover::judge
