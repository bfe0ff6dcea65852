// SPDX-License-Identifier: Apache-2.0
// When a site is down, and when it is not (decision 0017).
#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using Codes = std::set<std::string>;

const Gate* find(const std::vector<Gate>& gates, std::string_view code) {
    for (const auto& gate : gates)
        if (gate.code == code) return &gate;
    return nullptr;
}

TEST(Evidence, EverybodyIsWell) {
    World world;
    EXPECT_EQ(world.state("east"), State::unknown);
    world.run(10s);
    EXPECT_EQ(world.state("east"), State::ok);
    EXPECT_EQ(world.state("west"), State::ok);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.site("east").agents_ok, 2U);
    for (const auto& vote : world.site("east").evidence.votes) EXPECT_EQ(vote.sees, Sees::up);
    EXPECT_FALSE(world.judge().verdicts().blind.is);
}

TEST(Evidence, ADeadSiteFailsOnceAndInTime) {
    World world;
    world.run(10s);
    world.kill_site("east");
    // 3 s until the reports are stale, the next tick, 3 s of complete evidence.
    const auto took = world.run_until("site.down", "east", Truth::yes, 30s);
    ASSERT_TRUE(took);
    EXPECT_EQ(*took, 6'500ms);
    EXPECT_EQ(world.state("east"), State::failed);
    EXPECT_EQ(world.failed_gates("site.down", "east"), Codes{});
    EXPECT_EQ(world.site("east").evidence.have, 3U);
    world.run(60s);
    EXPECT_EQ(world.failures("east"), 1U);
    EXPECT_EQ(world.failures("west"), 0U);
    EXPECT_EQ(world.state("west"), State::ok);
    EXPECT_EQ(world.is("site.down", "east"), Truth::yes);
}

TEST(Evidence, ASiteCutOffIsAsDead) {
    World world;
    world.run(10s);
    world.cut_off = {"east"};
    EXPECT_EQ(world.run_until("site.down", "east", Truth::yes, 30s), 6'500ms);
    // Its own monitor and gslb are not heard: they are no evidence against west.
    EXPECT_EQ(world.state("west"), State::ok);
}

TEST(Evidence, HoldIsExactToTheMillisecond) {
    World world;
    world.run(10s);
    world.kill_site("east");
    while (!world.site("east").evidence.complete) world.run(500ms);
    const auto complete = *world.site("east").evidence.since;
    world.run(2s);  // keeps the votes fresh
    auto& judge = world.judge();
    judge.evaluate(complete + 2'999ms);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.state("east"), State::suspect);
    EXPECT_EQ(world.failed_gates("site.down", "east"), Codes{"for-not-reached"});
    judge.evaluate(complete + 3'000ms);
    EXPECT_EQ(world.is("site.down", "east"), Truth::yes);
}

TEST(Evidence, ReportsGrowStaleToTheMillisecond) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.run(2s);
    const auto last = *world.judge().verdicts().hosts[0].measured;
    world.judge().evaluate(last + 3'000ms);
    EXPECT_EQ(world.site("east").evidence.local, Local::ok);
    EXPECT_FALSE(world.judge().verdicts().hosts[0].flags.stale);
    world.judge().evaluate(last + 3'001ms);
    EXPECT_EQ(world.site("east").evidence.local, Local::silent);
    EXPECT_TRUE(world.judge().verdicts().hosts[0].flags.stale);
}

TEST(Evidence, OneAgentThatReportsIsProofOfLife) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.dead_hosts.erase("east/proc1");
    world.run(60s);
    EXPECT_EQ(world.state("east"), State::suspect);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.failed_gates("site.down", "east"), (Codes{"agents-silent", "for-not-reached"}));
}

TEST(Evidence, SilentAgentsAloneAreNoEvidence) {
    World world;
    world.run(10s);
    world.dead_hosts = {"east/if1", "east/proc1"};  // gslb and slb go on
    world.run(60s);
    EXPECT_EQ(world.state("east"), State::suspect);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    const auto gates = world.why("site.down", "east");
    ASSERT_NE(find(gates, "votes"), nullptr);
    EXPECT_EQ(find(gates, "votes")->have, "0 of 3");
    EXPECT_EQ(find(gates, "votes")->need, "2 of 3");
}

TEST(Evidence, TwoOfThreeObserversAreEnough) {
    for (const std::string away : {"mon-arbiter", "mon-west", "gslb-west"}) {
        World world;
        world.run(10s);
        world.dead_members.insert(away);
        world.run(10s);
        world.kill_site("east");
        EXPECT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s)) << away;
        EXPECT_EQ(world.site("east").evidence.have, 2U);
    }
}

TEST(Evidence, OneObserverIsNotEnough) {
    World world;
    world.run(10s);
    world.dead_members = {"mon-west", "gslb-west"};
    world.run(10s);
    world.kill_site("east");
    world.run(60s);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.site("east").evidence.have, 1U);
    EXPECT_EQ(world.failures("east"), 0U);
}

TEST(Evidence, AnObserverThatDoesNotReportIsUnknownNotDown) {
    World world;
    world.run(10s);
    world.dead_members = {"mon-west", "gslb-west", "mon-arbiter"};
    world.run(10s);
    EXPECT_EQ(world.state("east"), State::ok);
    for (const auto& vote : world.site("east").evidence.votes)
        EXPECT_EQ(vote.sees, Sees::unknown) << vote.observer;
    world.dead_hosts = {"east/if1", "east/proc1"};
    world.run(60s);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.site("east").evidence.have, 0U);
}

TEST(Evidence, ACutBetweenTheSitesIsNoEndOfOne) {
    // M-T4, as the arbiter sees it: both sites report to it.
    World world;
    world.run(10s);
    world.cuts = {{"east", "west"}};
    world.run(60s);
    EXPECT_EQ(world.failures("east") + world.failures("west"), 0U);
    EXPECT_EQ(world.state("east"), State::suspect);
    EXPECT_EQ(world.state("west"), State::suspect);
    // The record shows who sees whom.
    std::map<std::string, Sees> sees;
    for (const auto& vote : world.site("east").evidence.votes) sees[vote.observer] = vote.sees;
    EXPECT_EQ(sees.at("mon-west"), Sees::down);
    EXPECT_EQ(sees.at("gslb-west"), Sees::down);
    EXPECT_EQ(sees.at("mon-arbiter"), Sees::up);
    EXPECT_TRUE(world.failed_gates("site.down", "east").contains("agents-silent"));
}

TEST(Evidence, ACutBetweenTheSitesDoesNotFoolAJudgeAtTheOtherSite) {
    // M-T4 for a judge at west: east's agents are silent and two of three, both at west, see it
    // down. The arbiter sees it up.
    World world(two_sites("west"));
    world.run(10s);
    world.cuts = {{"east", "west"}};
    world.run(60s);
    EXPECT_EQ(world.failures("east"), 0U);
    EXPECT_EQ(world.state("east"), State::suspect);
    EXPECT_EQ(world.failed_gates("site.down", "east").count("votes"), 1U);
    const auto gates = world.why("site.down", "east");
    EXPECT_EQ(find(gates, "votes")->have, "2 of 3, contradicted");
    EXPECT_TRUE(world.site("east").evidence.contradicted);
}

TEST(Evidence, AJudgeAtTheOtherSiteFindsARealLoss) {
    World world(two_sites("west"));
    world.run(10s);
    world.kill_site("east");
    EXPECT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s));
}

TEST(Evidence, SilenceOfThePeerAloneIsNothing) {
    // A judge at west that hears neither east nor the arbiter.
    World world(two_sites("west"));
    world.run(10s);
    world.cut_off = {"west"};
    world.run(60s);
    EXPECT_EQ(world.failures("east"), 0U);
    EXPECT_NE(world.state("east"), State::failed);
    EXPECT_TRUE(world.judge().verdicts().blind.is);
    const auto failed = world.failed_gates("site.down", "east");
    EXPECT_TRUE(failed.contains("judge-hears"));
    EXPECT_TRUE(failed.contains("blind"));
}

TEST(Evidence, ASiteWithoutArbiterAndPeerIsNeverJudged) {
    // Two sites, no third place: east's silence is all that west could ever know.
    auto plan = two_sites("west");
    std::erase_if(plan.monitors, [](const auto& monitor) { return monitor.site == "arbiter"; });
    World world(plan);
    world.run(10s);
    world.kill_site("east");
    world.run(60s);
    EXPECT_EQ(world.failures("east"), 0U);
    EXPECT_EQ(world.is("site.down", "east") == Truth::yes, false);
    EXPECT_TRUE(world.failed_gates("site.down", "east").contains("judge-hears"));
}

TEST(Evidence, ThisServersOwnProbeStandsInForAMonitorAtItsPlace) {
    auto plan = two_sites("arbiter");
    std::erase_if(plan.monitors, [](const auto& monitor) { return monitor.site == "arbiter"; });
    World world(plan);
    world.run(10s);
    world.dead_members.insert("gslb-west");
    world.kill_site("east");
    for (int i = 0; i < 20; ++i) {
        world.run(500ms);
        world.judge().observe_probe({"sw-1", "own", "site:east", "", false, world.now(), 1s});
    }
    world.run(500ms);
    EXPECT_EQ(world.site("east").evidence.have, 2U);
    EXPECT_EQ(world.is("site.down", "east"), Truth::yes);
}

TEST(Evidence, SeveralGslbsOfOnePlaceHaveOneVote) {
    auto plan = two_sites();
    plan.gslbs.push_back({"gslb-west-2", "west", {}});
    World world(plan);
    world.run(10s);
    ASSERT_EQ(world.site("east").evidence.votes.size(), 3U);
    world.dead_members = {"mon-west", "mon-arbiter"};
    world.run(10s);
    world.kill_site("east");
    world.run(60s);
    EXPECT_EQ(world.site("east").evidence.have, 1U);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
}

TEST(Evidence, AnyBreakBeginsTheTimeAnew) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.run(6s);  // half a second before
    ASSERT_TRUE(world.site("east").evidence.complete);
    world.dead_hosts.erase("east/if1");
    world.run(1s);  // one report
    world.dead_hosts.insert("east/if1");
    EXPECT_EQ(world.run_until("site.down", "east", Truth::yes, 30s), 6'500ms);
    EXPECT_EQ(world.failures("east"), 1U);
}

TEST(Evidence, AnActionBeginsTheTimeAnewAndLeavesTheState) {
    World world;
    world.run(10s);
    world.kill_site("east");
    ASSERT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s));
    world.judge().acted("site:east", world.now());
    world.run(500ms);
    EXPECT_EQ(world.state("east"), State::failed);
    EXPECT_EQ(world.is("site.down", "east"), Truth::no);
    EXPECT_EQ(world.run_until("site.down", "east", Truth::yes, 30s), 3s);
    EXPECT_EQ(world.failures("east"), 1U);
}

TEST(Evidence, ARestartedJudgeBeginsUnknownAndFindsTheLossAgain) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.run(30s);
    world.restart_judge();
    world.run(500ms);
    EXPECT_EQ(world.state("east"), State::unknown);
    EXPECT_EQ(world.state("west"), State::unknown);
    EXPECT_FALSE(world.judge().verdicts().blind.is);
    const auto took = world.run_until("site.down", "east", Truth::yes, 30s);
    ASSERT_TRUE(took);
    EXPECT_EQ(*took, 7'500ms);  // 5 s first_report, 3 s of evidence, 500 ms are over
    EXPECT_EQ(world.state("west"), State::ok);
}

TEST(Evidence, RecoveryTakesItsTime) {
    World world;
    world.run(10s);
    world.kill_site("east");
    ASSERT_TRUE(world.run_until("site.down", "east", Truth::yes, 30s));
    world.run(10s);
    world.revive_site("east");
    // Observers must see it up by two of three results.
    EXPECT_TRUE(world.run_until("site.down", "east", Truth::no, 5s));
    while (world.state("east") == State::failed) world.run(500ms);
    EXPECT_EQ(world.state("east"), State::recovering);
    EXPECT_EQ(world.is("site.ready", "east"), Truth::no);
    EXPECT_EQ(world.run_until("site.ok", "east", Truth::yes, 10s), 2s);
    EXPECT_EQ(world.failures("east"), 1U);
}

TEST(Evidence, ASiteThatComesAndGoesIsFlapping) {
    World world;
    world.run(10s);
    for (int i = 0; i < 12 && !world.site("east").flags.flapping; ++i) {
        world.dead_members.insert("gslb-east");
        world.dead_members.insert("slb-east");
        world.run(3s);
        world.dead_members.clear();
        world.run(3s);
    }
    EXPECT_TRUE(world.site("east").flags.flapping == false);  // 2 changes in 6 samples are a third
    for (int i = 0; i < 12; ++i) {
        world.dead_members.insert("gslb-east");
        world.dead_members.insert("slb-east");
        world.run(2s);
        world.dead_members.clear();
        world.run(2s);
    }
    EXPECT_TRUE(world.site("east").flags.flapping);
    EXPECT_EQ(world.is("site.ok", "east"), Truth::no);
    EXPECT_EQ(world.is("site.ready", "east"), Truth::no);
    bool braked = false;
    for (const auto& gate : world.judge().brakes("east"))
        braked = braked || (gate.code == "flapping" && !gate.ok);
    EXPECT_TRUE(braked);
    world.run(40s);
    EXPECT_FALSE(world.site("east").flags.flapping);
}

TEST(Evidence, EveryGateHasValueNeedAndSource) {
    World world;
    world.run(10s);
    world.kill_site("east");
    world.run(20s);
    const auto gates = world.why("site.down", "east");
    EXPECT_EQ(gates.size(), 8U);  // silent, votes, three observers, hears, blind, for
    for (const auto& gate : gates) {
        EXPECT_TRUE(gate.ok) << gate.code;
        EXPECT_FALSE(gate.have.empty()) << gate.code;
        EXPECT_FALSE(gate.need.empty()) << gate.code;
        EXPECT_FALSE(gate.text.empty()) << gate.code;
    }
    ASSERT_NE(find(gates, "agents-silent"), nullptr);
    EXPECT_EQ(find(gates, "agents-silent")->have, "2 of 2 silent");
    EXPECT_EQ(find(gates, "agents-silent")->age_ms, 20'000U);
    EXPECT_EQ(find(gates, "observer")->source, "mon-west");
    EXPECT_EQ(find(gates, "observer")->age_ms, 0U);
    EXPECT_EQ(find(gates, "judge-hears")->have, "west");
}

}  // namespace
}  // namespace twinsite::switchover::judge
