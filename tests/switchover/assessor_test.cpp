// SPDX-License-Identifier: Apache-2.0
// What a trigger makes of facts, and what stands around a scenario.
#include "switchover/assessor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;

std::string note_when(const std::string& trigger) {
    return R"(schema: twinsite/1
scenario: note
kind: other
mode: auto
trigger: {)" +
           trigger + R"(}
defaults: {timeout: 5s, tries: 1, backoff: 500ms, on_fail: pause}
steps:
  - id: tell
    do: {agent.run: {action: note.write, host: west/if1}}
)";
}

TEST(Assessor, WhatIsNotKnownFiresNothing) {
    for (const auto* trigger :
         {"all: ['process.state(east/proc1, charging) != ok']",
          "any: ['process.state(east/proc1, charging) != ok']",
          "all: [site.ok(west)], unless: ['process.state(east/proc1, charging) == ok']",
          "all: [site.ok(west)], unless: ['process.ok(east/proc1, charging)']"}) {
        SCOPED_TRACE(trigger);
        Town town({note_when(trigger)});
        town.pass(20s);
        EXPECT_EQ(town.begun(), 0U);
        EXPECT_FALSE(town.assessment("note").firing);
    }
    Town asked({note_when("all: ['process.state(east/proc1, charging) == unknown']")});
    asked.pass(20s);
    EXPECT_EQ(asked.begun(), 1U);
}

TEST(Assessor, ARestartFiresNoTriggerOfAStateThatIsNotOk) {
    Town town({note_when("all: ['host.state(east/if1) != ok']")});
    town.pass(10s);
    town.link = false;
    town.restart();
    town.pass(1s);
    town.link = true;
    town.pass(20s);
    EXPECT_EQ(town.begun(), 0U);
}

TEST(Assessor, AnAnsweredIncidentWithoutASiteOutlivesARestart) {
    Town town({note_when("all: ['process.down(east/proc1, charging)']")});
    town.processes["east/proc1"] = "down";
    town.pass(10s);
    ASSERT_EQ(town.begun(), 1U);
    town.pass(5s);
    town.restart();
    town.processes.clear();  // its agent does not know yet
    town.pass(5s);
    town.processes["east/proc1"] = "down";
    town.pass(20s);
    EXPECT_EQ(town.begun(), 1U);
    town.processes["east/proc1"] = "up";
    town.pass(50s);
    town.processes["east/proc1"] = "down";
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 2; }, 15s));
}

store::WantedState wanted(const std::string& object, const std::string& state) {
    store::WantedState out;
    out.receiver = "gslb";
    out.object = object;
    out.state = state;
    out.by = "li";
    return out;
}

TEST(Assessor, ASiteThatIsDrainedCanStillBeLost) {
    for (const auto& [object, state] : std::vector<std::pair<std::string, std::string>>{
             {"site:east", "drain"}, {"service:other@east", "out"}
         }) {
        SCOPED_TRACE(object);
        Town town;
        town.pass(10s);
        ASSERT_TRUE(town.conductor().want(wanted(object, state)));
        town.east = false;
        EXPECT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
    }
    Town town;
    town.pass(10s);
    ASSERT_TRUE(town.conductor().want(wanted("service:ocs@east", "out")));  // its only one
    town.east = false;
    town.pass(20s);
    EXPECT_EQ(town.begun(), 0U);
}

TEST(Assessor, ADrainedSiteIsStillASiteThatIsLeft) {
    Town town;
    town.pass(10s);
    ASSERT_TRUE(town.conductor().want(wanted("site:west", "drain")));
    town.east = false;
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
}

TEST(Assessor, StepsOfTheClockChangeNoPauseAndNoCoolDown) {  // M-T14
    std::string source = note_when("all: [site.down(east)]");
    source += "cooldown: 60s\n";
    Town town({source});
    town.pass(10s);
    town.east = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
    town.pass(2s);
    town.east = true;
    town.pass(35s);  // the incident is over
    town.step_clock(3'600s);
    town.east = false;
    town.pass(15s);
    EXPECT_EQ(town.begun(), 1U);  // forwards: not over before its time
    town.step_clock(-7'200s);
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 2; }, 40s));  // nor after it
    ASSERT_TRUE(std::holds_alternative<api::Done>(
        town.conductor().pause({"li", ""}, "works", town.wall() + 30'000)
    ));
    town.step_clock(600s);
    town.pass(20s);
    EXPECT_TRUE(town.conductor().paused());
    town.step_clock(-600s);
    town.pass(15s);
    EXPECT_FALSE(town.conductor().paused());
}

TEST(Assessor, ACoolDownFromTheFutureCountsOnceFromTheStart) {
    std::string source = note_when("all: [site.down(east)]");
    source += "cooldown: 60s\n";
    Town town({source});
    town.pass(10s);
    town.east = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
    town.pass(2s);
    town.east = true;
    town.pass(35s);
    town.step_clock(-3'600s);
    town.restart();
    town.pass(10s);
    town.east = false;
    town.pass(40s);
    EXPECT_EQ(town.begun(), 1U);
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 2; }, 15s));
}

TEST(Assessor, AFailBackGivesWayWhenItsSiteIsLostAgain) {
    for (const bool brought_in : {false, true}) {
        SCOPED_TRACE(brought_in);
        Town town;
        town.pass(10s);
        town.east = false;
        ASSERT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
        town.pass(15s);
        town.east = true;
        town.pass(20s);
        town.hold_effects = true;
        api::RunRequest request;
        request.scenario = "failback-east";
        request.reason = "back";
        ASSERT_TRUE(
            std::holds_alternative<scenario::Run>(town.conductor().start_run({"li", ""}, request))
        );
        town.answer_effects();  // the requirement
        if (brought_in) ASSERT_TRUE(town.conductor().want(wanted("site:east", "in")));
        town.east = false;
        town.pass(15s);
        const auto runs = town.stored_runs();
        const auto back = std::find_if(runs.begin(), runs.end(), [](const auto& run) {
            return run.scenario == "failback-east";
        });
        ASSERT_NE(back, runs.end());
        EXPECT_EQ(back->state, scenario::RunState::cancelled);
        EXPECT_NE(back->output.find("site east is down"), std::string::npos) << back->output;
        EXPECT_EQ(town.audited("run.cancelled"), 1U);
        EXPECT_EQ(runs.size(), brought_in ? 3U : 2U);
    }
}

}  // namespace
}  // namespace twinsite::switchover
