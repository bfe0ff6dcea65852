// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/business.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

TEST(Business, GoodWhenEveryViewIsGoodForLongEnough) {
    World world;  // business_hold 3 s; the first probes come after 1 s
    world.run(3'500ms);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
    world.run(500ms);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
    world.answers["east"] = false;
    world.run(1s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
    EXPECT_EQ(world.is("business.bad", "ocs"), Truth::no);  // one bad probe
    world.run(1s);
    EXPECT_EQ(world.is("business.bad", "ocs"), Truth::yes);
    world.answers.clear();
    world.run(1s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);  // one lucky probe
    world.run(3s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
}

TEST(Business, HoldIsExactToTheMillisecond) {
    World world;
    world.run(1s);
    const auto first = world.now();
    for (int i = 0; i < 4; ++i) world.run(500ms);
    world.judge().evaluate(first + 2'999ms);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
    world.judge().evaluate(first + 3'000ms);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
}

TEST(Business, AViewThatIsNotHeardIsLeftOut) {
    World world;
    world.run(10s);
    world.answers["east"] = false;
    world.run(5s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
    world.dead_members = {"mon-east", "mon-west", "mon-arbiter"};
    world.run(10s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::unknown);
    EXPECT_TRUE(world.judge().verdicts().services[0].flags.stale);
}

TEST(Business, ALuckyProbeDoesNotOutweighLowSuccessWithVolume) {
    World world;
    world.run(10s);
    for (int i = 0; i < 10; ++i) {
        world.judge().observe_volume("ocs", 1000, 400, world.now());
        world.run(1s);
    }
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
    EXPECT_EQ(world.is("business.bad", "ocs"), Truth::yes);
    EXPECT_TRUE(world.failed_gates("business.good", "ocs").contains("business-rate"));
}

TEST(Business, ABadProbeDoesNotOutweighSuccessWithVolume) {
    World world;
    world.run(10s);
    world.judge().observe_volume("ocs", 1000, 998, world.now());
    world.run(1s);
    world.answers["east"] = false;
    world.run(1s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
    world.run(2s);  // but a view that stays bad is bad
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
}

TEST(Business, TooLittleVolumeLetsTheProbesDecide) {
    World world;
    world.run(10s);
    world.judge().observe_volume("ocs", 1, 0, world.now());  // M-T2: 0 % of one request
    world.run(1s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
    bool told = false;
    for (const auto& gate : world.why("business.good", "ocs"))
        told = told || (gate.code == "insufficient" && gate.have == "1 answers");
    EXPECT_TRUE(told);
    world.judge().observe_volume("ocs", 1000, 940, world.now());
    world.run(1s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::no);
}

TEST(Business, LastGoodAnswerIsRemembered) {
    World world;
    world.run(10s);
    const auto before = world.now();
    world.answers = {{"east", false}, {"west", false}};
    world.run(10s);
    EXPECT_EQ(world.judge().verdicts().services[0].last_good, before);
    EXPECT_EQ(world.judge().verdicts().services[0].state, State::failed);
}

TEST(Business, AnActionForgetsTheCounters) {
    World world;
    world.run(10s);
    world.judge().observe_volume("ocs", 1000, 100, world.now());
    world.run(1s);
    ASSERT_EQ(world.is("business.good", "ocs"), Truth::no);
    world.judge().acted("service:ocs", world.now());
    world.run(5s);
    EXPECT_EQ(world.is("business.good", "ocs"), Truth::yes);
}

}  // namespace
}  // namespace twinsite::switchover::judge
