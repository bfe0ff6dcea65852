// SPDX-License-Identifier: Apache-2.0
// Whether a site may take all users (control.md 2 and 19).
#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using Codes = std::set<std::string>;

TEST(Readiness, AWellSiteIsReady) {
    World world;
    world.run(10s);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{});
}

TEST(Readiness, AtTheStartNobodyKnows) {
    World world;
    world.judge().evaluate(world.now());
    EXPECT_EQ(world.is("site.ready", "west"), Truth::unknown);
}

TEST(Readiness, TheLossOfTheOtherSiteDoesNotTouchIt) {
    World world;
    world.run(10s);
    world.kill_site("east");
    for (int i = 0; i < 60; ++i) {
        world.run(500ms);
        EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
    }
}

TEST(Readiness, WantsAMemberOfEachKind) {
    World world;
    world.run(10s);
    world.dead_members = {"slb-west"};
    world.run(5s);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-members"});
    EXPECT_EQ(world.is("member.reachable", "slb-west"), Truth::no);
}

TEST(Readiness, WhoWasAwayMustBeInStepFirst) {
    World world;
    world.run(10s);
    world.dead_members = {"gslb-west"};
    world.run(5s);
    world.dead_members.clear();
    world.out_of_sync = {"gslb-west"};
    world.run(5s);
    EXPECT_EQ(world.is("member.reachable", "gslb-west"), Truth::yes);
    EXPECT_EQ(world.is("member.in_sync", "gslb-west"), Truth::no);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-in-sync"});
    world.out_of_sync.clear();
    world.run(2s);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
}

TEST(Readiness, OneOfTwoGslbsAwayIsNamedAndEnough) {
    auto plan = two_sites();
    plan.gslbs.push_back({"gslb-west-2", "west", {}});
    World world(plan);
    world.run(10s);
    world.dead_members = {"gslb-west-2"};
    world.run(5s);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
    bool named = false;
    for (const auto& gate : world.why("site.ready", "west"))
        named = named || gate.have.find("gslb-west-2") != std::string::npos;
    EXPECT_TRUE(named);
}

TEST(Readiness, AMembersOwnWordCounts) {
    World world;
    world.run(10s);
    world.member_ready = false;
    world.run(5s);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-members"});
}

TEST(Readiness, WantsMostMachinesAndOneOfEachKind) {
    auto plan = two_sites();
    for (const std::string name : {"if2", "if3"})
        plan.agents.push_back({"west", name, "interface"});
    World world(plan);
    world.run(10s);
    world.dead_hosts = {"west/if1"};
    world.run(5s);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
    world.dead_hosts = {"west/proc1"};  // three of four are well, but it was the only one
    world.run(5s);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-agents"});
    world.dead_hosts = {"west/if1", "west/if2"};  // half
    world.run(5s);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-agents"});
}

TEST(Readiness, OutsideObserversMustSeeItUp) {
    World world;
    world.run(10s);
    world.dead_members = {"mon-arbiter", "gslb-east"};
    world.cuts = {{"east", "west"}};
    world.run(10s);
    // Only mon-east is left to look, and it sees west down.
    const auto failed = world.failed_gates("site.ready", "west");
    EXPECT_TRUE(failed.contains("target-outside"));
    EXPECT_TRUE(failed.contains("target-not-ready"));  // SUSPECT
}

TEST(Readiness, MaintenanceIsRespected) {
    World world;
    world.run(10s);
    world.judge().set_maintenance("west", true);
    world.run(500ms);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"target-not-ready"});
    EXPECT_EQ(world.state("west"), State::ok);
    world.judge().set_maintenance("west", false);
    world.run(500ms);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
}

TEST(Readiness, CapacityMustHoldTheLoadOfAll) {
    auto plan = two_sites();
    plan.sites[1].capacity_per_second = 1500;
    World world(plan);
    world.run(10s);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"capacity"});  // not known
    const auto feed = [&](double east, double west) {
        world.judge().observe_load("east", east, world.now());
        world.judge().observe_load("west", west, world.now());
        world.run(500ms);
    };
    feed(800, 700);
    EXPECT_EQ(world.is("site.ready", "west"), Truth::yes);
    feed(801, 700);
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"capacity"});
    for (const auto& gate : world.why("site.ready", "west")) {
        if (gate.code != "capacity") continue;
        EXPECT_EQ(gate.have, "1501/s");
        EXPECT_EQ(gate.need, "at most 1500/s");
    }
    feed(800, 700);
    world.run(31s);  // the figures are old
    EXPECT_EQ(world.failed_gates("site.ready", "west"), Codes{"capacity"});
}

TEST(Brakes, BothSitesBadAndInsideAreNamed) {
    World world(two_sites("east"));
    world.run(10s);
    const auto failed = [&](const std::string& site) {
        Codes out;
        for (const auto& gate : world.judge().brakes(site))
            if (!gate.ok) out.insert(gate.code);
        return out;
    };
    EXPECT_EQ(failed("east"), Codes{"not-inside-site"});
    EXPECT_EQ(failed("west"), Codes{});
    world.dead_members = {"gslb-east", "slb-east"};  // observers see east down
    world.run(5s);
    EXPECT_EQ(failed("west"), Codes{"both-sites-bad"});
    EXPECT_EQ(world.is("site.other_ok", "west"), Truth::no);
    EXPECT_TRUE(world.judge().brakes("north").empty());
}

}  // namespace
}  // namespace twinsite::switchover::judge
