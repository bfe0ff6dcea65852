// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/members.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

const MemberVerdict& member(World& world, std::string_view name) {
    return world.judge().verdicts().members[world.judge().find_member(name).value()];
}

TEST(Members, AreKnownBeforeAnybodyWasHeard) {
    World world;
    ASSERT_EQ(world.judge().verdicts().members.size(), 7U);
    EXPECT_EQ(member(world, "slb-west").kind, MemberKind::slb);
    EXPECT_EQ(member(world, "slb-west").place, "west");
    EXPECT_EQ(world.is("member.reachable", "slb-west"), Truth::unknown);
    EXPECT_EQ(
        world.judge().find_member("arbiter/mon-arbiter"), world.judge().find_member("mon-arbiter")
    );
    EXPECT_FALSE(world.judge().find_member("nobody"));
}

TEST(Members, OneLostPollIsNothing) {
    World world;
    world.run(10s);
    world.dead_members = {"slb-west"};
    world.run(1s);
    EXPECT_EQ(member(world, "slb-west").state, State::ok);
    world.dead_members.clear();
    world.run(2s);
    EXPECT_EQ(member(world, "slb-west").state, State::ok);
    EXPECT_EQ(world.is("member.reachable", "slb-west"), Truth::yes);
}

TEST(Members, UnreachedFailsAndForgetsWhatItSaid) {
    World world;
    world.run(10s);
    world.dead_members = {"slb-west"};
    world.run(2s);
    EXPECT_EQ(world.is("member.reachable", "slb-west"), Truth::no);
    EXPECT_EQ(world.is("member.in_sync", "slb-west"), Truth::unknown);
    EXPECT_EQ(member(world, "slb-west").state, State::suspect);
    world.run(5s);
    EXPECT_EQ(member(world, "slb-west").state, State::failed);
}

TEST(Members, ASilentMonitorIsUnknown) {
    World world;
    world.run(10s);
    world.dead_members = {"mon-west"};
    world.run(10s);
    EXPECT_EQ(member(world, "mon-west").state, State::unknown);
    EXPECT_TRUE(member(world, "mon-west").flags.stale);
    bool told = false;
    for (const auto& gate : world.judge().problems(1))
        told = told || (gate.code == "member" && gate.source == "mon-west");
    EXPECT_TRUE(told);
}

TEST(Members, ABlindJudgeAccusesNobody) {
    World world;
    world.run(10s);
    world.cut_off = {"arbiter"};
    world.run(60s);
    EXPECT_TRUE(world.judge().verdicts().blind.is);
    for (const auto& verdict : world.judge().verdicts().members)
        EXPECT_NE(verdict.state, State::failed) << verdict.name;
}

}  // namespace
}  // namespace twinsite::switchover::judge
