// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/facts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

Words arguments_for(std::string_view kind) {
    if (kind == "site") return {"east"};
    if (kind == "host") return {"east/if1"};
    if (kind == "process") return {"east/proc1", "charging"};
    if (kind == "member") return {"gslb-west"};
    if (kind == "service") return {"ocs"};
    return {};
}

bool known_code(const std::string& code) {
    const auto& codes = model::gate_codes();
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

TEST(Facts, EveryFormAnswersAtAnyTimeAndSaysWhy) {
    World world;
    for (int round = 0; round < 4; ++round) {
        for (const auto& form : fact_forms()) {
            const auto arguments = arguments_for(form.argument);
            const auto fact = world.judge().fact(form.name, arguments);
            ASSERT_TRUE(fact) << form.name;
            EXPECT_FALSE(fact->text.empty()) << form.name;
            if (!form.name.ends_with(".state"))
                EXPECT_EQ(fact->text, to_string(fact->truth)) << form.name;
            const auto gates = world.judge().why(form.name, arguments);
            EXPECT_FALSE(gates.empty()) << form.name;
            for (const auto& gate : gates) {
                EXPECT_TRUE(known_code(gate.code)) << form.name << ": " << gate.code;
                EXPECT_FALSE(gate.text.empty()) << form.name << ": " << gate.code;
                EXPECT_FALSE(gate.have.empty()) << form.name << ": " << gate.code;
                EXPECT_FALSE(gate.need.empty()) << form.name << ": " << gate.code;
            }
        }
        if (round == 1) world.kill_site("east");
        if (round == 2) world.cut_off = {"arbiter"};
        world.run(20s);
    }
}

TEST(Facts, AStateThatIsNotKnownIsNeitherSoNorNotSo) {
    World world;
    for (const auto& [name, argument] : std::vector<std::pair<std::string, std::string>>{
             {"site.state", "east"},
             {"host.state", "east/if1"},
             {"member.state", "gslb-west"},
             {"business.state", "ocs"}
         }) {
        const auto fact = world.judge().fact(name, Words{argument});
        ASSERT_TRUE(fact) << name;
        EXPECT_EQ(fact->truth, Truth::unknown) << name;
        EXPECT_EQ(fact->text, "UNKNOWN") << name;
    }
}

TEST(Facts, GatesAgreeWithTheFact) {
    // Of conditions whose gates must all be met.
    const Words conjunctions{"site.down", "site.ready", "site.ok", "host.ok", "member.in_sync"};
    World world;
    for (int round = 0; round < 6; ++round) {
        world.run(10s);
        for (const auto& form : fact_forms()) {
            if (std::find(conjunctions.begin(), conjunctions.end(), form.name) ==
                conjunctions.end())
                continue;
            const auto arguments = arguments_for(form.argument);
            const auto gates = world.judge().why(form.name, arguments);
            const bool all = std::all_of(gates.begin(), gates.end(), [](const Gate& gate) {
                // Who of three sees what is not a must of its own; memory only warns.
                return gate.ok || gate.code == "observer" || gate.code == "memory";
            });
            EXPECT_EQ(all, world.judge().fact(form.name, arguments)->truth == Truth::yes)
                << form.name << " in round " << round;
        }
        if (round == 1) world.kill_site("east");
        if (round == 3) world.revive_site("east");
        if (round == 4) world.out_of_sync = {"gslb-west"};
    }
}

TEST(Facts, UnknownNamesAndEntitiesAreRefused) {
    World world;
    world.run(1s);
    const auto& judge = world.judge();
    EXPECT_FALSE(judge.fact("site.dwon", Words{"east"}));
    EXPECT_FALSE(judge.fact("site.down", Words{"north"}));
    EXPECT_FALSE(judge.fact("site.down", Words{"arbiter"}));
    EXPECT_FALSE(judge.fact("site.down", Words{}));
    EXPECT_FALSE(judge.fact("site.down", Words{"east", "west"}));
    EXPECT_FALSE(judge.fact("process.down", Words{"east/proc1"}));
    EXPECT_FALSE(judge.fact("process.down", Words{"east/proc9", "charging"}));
    EXPECT_FALSE(judge.fact("judge.blind", Words{"east"}));
    EXPECT_TRUE(judge.why("site.down", Words{"north"}).empty());
    EXPECT_TRUE(judge.why("", Words{}).empty());
}

TEST(Facts, AProcessThatNobodyReportedIsUnknown) {
    World world;
    world.run(5s);
    const Words nobody{"east/proc1", "nobody"};
    EXPECT_EQ(world.is("process.down", nobody), Truth::unknown);
    EXPECT_EQ(world.is("process.sister_ok", nobody), Truth::unknown);
    EXPECT_EQ(world.judge().why("process.down", nobody).at(0).code, "no-data");
}

TEST(Facts, StatesAreWords) {
    World world;
    EXPECT_EQ(world.judge().fact("site.state", Words{"east"})->text, "UNKNOWN");
    world.run(10s);
    EXPECT_EQ(world.judge().fact("site.state", Words{"east"})->text, "OK");
    world.kill_site("east");
    world.run(4s);
    EXPECT_EQ(world.judge().fact("site.state", Words{"east"})->text, "SUSPECT");
    world.run(10s);
    EXPECT_EQ(world.judge().fact("site.state", Words{"east"})->text, "FAILED");
}

TEST(Facts, ProblemsNameWhatIsWrongAndNothingElse) {
    World world;
    world.run(10s);
    EXPECT_TRUE(world.judge().problems(0).empty());
    world.charging["east/proc1"] = ProcessState::down;
    world.dead_hosts = {"east/if1"};
    world.dead_members = {"slb-east"};
    world.run(10s);
    std::set<std::string> found;
    for (const auto& gate : world.judge().problems(0)) {
        EXPECT_FALSE(gate.ok);
        EXPECT_TRUE(known_code(gate.code)) << gate.code;
        found.insert(gate.code + " " + gate.source);
    }
    EXPECT_EQ(
        found, (std::set<std::string>{"process east/proc1", "report east/if1", "member slb-east"})
    );
    EXPECT_TRUE(world.judge().problems(1).empty());
}

TEST(Facts, ChangesAreToldOnce) {
    World world;
    world.run(10s);
    world.kill_site("east");
    unsigned failed = 0;
    for (int i = 0; i < 60; ++i) {
        world.run(500ms);
        for (const auto& change : world.judge().verdicts().changes)
            if (change.kind == EntityKind::site && change.to == State::failed) {
                ++failed;
                EXPECT_EQ(change.from, State::suspect);
                EXPECT_EQ(change.index, 0U);
            }
    }
    EXPECT_EQ(failed, 1U);
}

}  // namespace
}  // namespace twinsite::switchover::judge
