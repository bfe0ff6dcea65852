// SPDX-License-Identifier: Apache-2.0
// When the judge does not trust its own view (control.md 6 and 18).
#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

TEST(Blindness, AllSilentAtOnceIsTheJudgesOwnLink) {
    // M-T3: the server's own link is down.
    World world;
    world.run(10s);
    world.cut_off = {"arbiter"};
    bool blind = false;
    for (int i = 0; i < 240; ++i) {
        world.run(500ms);
        blind = blind || world.judge().verdicts().blind.is;
        EXPECT_NE(world.is("site.down", "east"), Truth::yes);
        EXPECT_NE(world.is("site.down", "west"), Truth::yes);
    }
    EXPECT_TRUE(blind);
    EXPECT_FALSE(world.judge().verdicts().blind.why.empty());
    EXPECT_EQ(world.is("judge.blind", std::vector<std::string>{}), Truth::yes);
    EXPECT_EQ(world.state("east"), State::unknown);
    EXPECT_TRUE(world.site("east").flags.blind);
    EXPECT_EQ(world.is("site.down", "east"), Truth::unknown);
    EXPECT_EQ(world.failures("east") + world.failures("west"), 0U);
}

TEST(Blindness, NothingHappensWhenTheLinkIsBack) {
    World world;
    world.run(10s);
    world.cut_off = {"arbiter"};
    world.run(60s);
    world.cut_off.clear();
    for (int i = 0; i < 120; ++i) {
        world.run(500ms);
        EXPECT_NE(world.is("site.down", "east"), Truth::yes);
        EXPECT_NE(world.is("site.down", "west"), Truth::yes);
    }
    EXPECT_FALSE(world.judge().verdicts().blind.is);
    EXPECT_EQ(world.state("east"), State::ok);
    EXPECT_EQ(world.state("west"), State::ok);
    EXPECT_EQ(world.failures("east") + world.failures("west"), 0U);
}

TEST(Blindness, WhatWasSeenWhileBlindDoesNotCount) {
    World world;
    world.run(10s);
    world.cut_off = {"arbiter"};
    world.kill_site("east");
    world.run(60s);
    world.cut_off.clear();
    while (world.judge().verdicts().blind.is) world.run(500ms);
    // East is silent for a minute, and yet the evidence begins here: two new results of each
    // observer, then 3 s.
    const auto took = world.run_until("site.down", "east", Truth::yes, 30s);
    ASSERT_TRUE(took);
    EXPECT_GE(*took, 4s);
    EXPECT_LE(*took, 6s);
}

TEST(Blindness, MoreThanHalfOfTheOthersSilentIsBlindToThisSite) {
    auto plan = two_sites();
    plan.agents.push_back({"west", "if2", "interface"});
    plan.agents.push_back({"west", "proc2", "processing"});
    World world(plan);
    world.run(10s);
    world.dead_hosts = {"west/if1", "west/proc1", "west/if2"};  // 3 of 4
    world.run(10s);
    world.kill_site("east");
    world.run(60s);
    EXPECT_NE(world.is("site.down", "east"), Truth::yes);
    EXPECT_EQ(world.failures("east"), 0U);
    EXPECT_TRUE(world.failed_gates("site.down", "east").contains("blind"));
    EXPECT_EQ(world.state("east"), State::unknown);
}

TEST(Blindness, ExactlyHalfIsNotBlind) {
    World world;
    world.run(10s);
    world.dead_hosts = {"west/if1"};  // 1 of 2
    world.run(10s);
    world.kill_site("east");
    EXPECT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s));
}

TEST(Blindness, ADeadSiteDoesNotBlindTheJudgeToItself) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.run(30s);
    EXPECT_FALSE(world.judge().verdicts().blind.is);
    EXPECT_EQ(world.state("east"), State::failed);
    // All others of west are east's: nothing may be started against west now.
    bool braked = false;
    for (const auto& gate : world.judge().brakes("west"))
        braked = braked || (gate.code == "blind" && !gate.ok);
    EXPECT_TRUE(braked);
    EXPECT_EQ(world.state("west"), State::ok);
}

TEST(Blindness, BothSitesDeadIsBlindNotDown) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.kill_site("west");
    world.run(60s);
    EXPECT_EQ(world.failures("east") + world.failures("west"), 0U);
    EXPECT_TRUE(world.judge().verdicts().blind.is);
}

TEST(Blindness, AFailedSiteStaysFailedWhileBlind) {
    World world;
    world.run(10s);
    world.kill_site("east");
    ASSERT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s));
    world.cut_off = {"arbiter"};
    world.run(30s);
    EXPECT_EQ(world.state("east"), State::failed);
    EXPECT_EQ(world.is("site.down", "east"), Truth::unknown);
    world.cut_off.clear();
    world.run(30s);
    EXPECT_EQ(world.is("site.down", "east"), Truth::yes);
    EXPECT_EQ(world.failures("east"), 1U);
}

TEST(Blindness, StartingIsNotBlindness) {
    World world;
    world.cut_off = {"arbiter"};
    world.run(4'500ms);
    EXPECT_FALSE(world.judge().verdicts().blind.is);
    EXPECT_TRUE(world.judge().verdicts().blind.starting);
    world.run(500ms);
    EXPECT_TRUE(world.judge().verdicts().blind.is);
    EXPECT_FALSE(world.judge().verdicts().blind.starting);
}

}  // namespace
}  // namespace twinsite::switchover::judge
