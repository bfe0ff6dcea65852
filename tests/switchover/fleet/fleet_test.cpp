// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/fleet.hpp"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::contract::Batch;
using wire::contract::Identity;
using wire::contract::ProbeResult;
using wire::contract::Report;

constexpr std::int64_t kNoon = 1'800'000'000'000;

Report report(const std::string& site, const std::string& name, std::uint64_t seq) {
    Report out;
    out.site = site;
    out.name = name;
    out.role = "interface";
    out.boot_id = "boot1";
    out.seq = seq;
    out.interval_ms = 10'000;
    out.sent_wall_ms = static_cast<std::uint64_t>(kNoon);
    wire::contract::Sample cpu;
    cpu.collector = "cpu";
    cpu.numbers = {{"idle", static_cast<double>(seq)}};
    out.samples = {cpu};
    return out;
}

Identity agent(const std::string& site, const std::string& name) {
    return {site, "agent", name};
}

Batch batch(std::uint64_t seq) {
    Batch out;
    out.site = "east";
    out.name = "mon-east";
    out.boot_id = "boot";
    out.seq = seq;
    out.interval_ms = 1'000;
    out.sent_wall_ms = static_cast<std::uint64_t>(kNoon);
    return out;
}

const Identity kMonitor{"east", "monitor", "mon-east"};

class FleetTest : public ::testing::Test {
protected:
    FleetTest()
        : fleet_(
              {{{"east", "if1", "interface"},
                {"east", "proc1", "processing"},
                {"west", "if1", "interface"}},
               {{"east", "mon-east"}, {"arbiter", "mon-arbiter"}}},
              {[this](const Host& host) { live_.push_back(host.id); },
               [this](const ProbeFact& fact) { facts_.push_back(fact); },
               [this](const MonitorState&) { ++batches_; },
               [this](std::vector<store::HistoryPoint> points) {
                   for (auto& point : points) history_.push_back(point);
               }}
          ) {}

    Moment at(milliseconds after) const {
        return {Time() + std::chrono::hours(1) + after, kNoon + after.count()};
    }
    Taken take(Report from, milliseconds after) {
        const auto sender = agent(from.site, from.name);
        return fleet_.take_report(sender, std::move(from), at(after));
    }
    const Host& host(const char* id) const { return *fleet_.find_host(id); }

    std::vector<std::string> live_;
    std::vector<ProbeFact> facts_;
    int batches_ = 0;
    std::vector<store::HistoryPoint> history_;
    Fleet fleet_;
};

TEST_F(FleetTest, AReportIsTheStateOfItsHostUntilThreeIntervalsPass) {
    EXPECT_TRUE(host("east/if1").stale(at(seconds(0)).now, 3));
    EXPECT_EQ(take(report("east", "if1", 1), seconds(0)), Taken::live);
    EXPECT_EQ(live_, std::vector<std::string>{"east/if1"});
    EXPECT_FALSE(host("east/if1").stale(at(seconds(30)).now, 3));
    EXPECT_TRUE(host("east/if1").stale(at(seconds(30) + milliseconds(1)).now, 3));
    EXPECT_TRUE(host("west/if1").stale(at(seconds(0)).now, 3)) << "another host of this name";
}

TEST_F(FleetTest, NobodySpeaksForAnother) {
    EXPECT_EQ(
        fleet_.take_report(agent("east", "proc1"), report("east", "if1", 1), at(seconds(0))),
        Taken::foreign
    );
    EXPECT_EQ(
        fleet_.take_report(agent("west", "if1"), report("east", "if1", 1), at(seconds(0))),
        Taken::foreign
    );
    EXPECT_EQ(
        fleet_.take_report(kMonitor, report("east", "if1", 1), at(seconds(0))), Taken::foreign
    );
    EXPECT_EQ(take(report("east", "nobody", 1), seconds(0)), Taken::unknown);
    EXPECT_TRUE(live_.empty());
    EXPECT_EQ(fleet_.counters().refused, 4U);
}

TEST_F(FleetTest, TheSameReportOnTwoWaysCountsOnceAndShowsBoth) {
    EXPECT_EQ(take(report("east", "if1", 1), seconds(0)), Taken::live);
    auto relayed = batch(1);
    relayed.reports = {report("east", "if1", 1)};
    EXPECT_EQ(fleet_.take_batch(kMonitor, relayed, at(seconds(1))), Taken::live);
    EXPECT_EQ(live_.size(), 1U);
    EXPECT_EQ(host("east/if1").duplicates, 1U);
    ASSERT_EQ(host("east/if1").via.size(), 2U);
    EXPECT_EQ(host("east/if1").via[0].name, "direct");
    EXPECT_EQ(host("east/if1").via[1].name, "mon-east");
    fleet_.tick(at(seconds(1)));
    EXPECT_EQ(history_.size(), 1U);
}

// M-T3: what was buffered while the server's link was away is not judged.
TEST_F(FleetTest, BackfilledSamplesGoToHistoryOnly) {
    take(report("east", "if1", 10), seconds(0));
    live_.clear();
    for (std::uint64_t seq = 5; seq < 10; ++seq) {
        auto old = report("east", "if1", seq);
        old.backfill = true;
        old.age_ms = (10 - seq) * 10'000;
        EXPECT_EQ(take(old, seconds(1)), Taken::backfill);
    }
    EXPECT_TRUE(live_.empty());
    EXPECT_EQ(host("east/if1").last->seq, 10U);
    EXPECT_EQ(host("east/if1").measured, at(seconds(0)).now);
    fleet_.tick(at(seconds(1)));
    ASSERT_EQ(history_.size(), 6U);
    EXPECT_EQ(history_[1].wall_ms, kNoon + 1'000 - 50'000) << "when it was measured";
}

TEST_F(FleetTest, BackfillAloneMakesNoHostFresh) {
    auto old = report("east", "if1", 1);
    old.backfill = true;
    EXPECT_EQ(take(old, seconds(0)), Taken::backfill);
    EXPECT_FALSE(host("east/if1").heard());
}

TEST_F(FleetTest, ALateReportDoesNotReplaceAFresherOne) {
    take(report("east", "if1", 2), seconds(10));
    EXPECT_EQ(take(report("east", "if1", 1), seconds(11)), Taken::backfill);
    EXPECT_EQ(host("east/if1").last->seq, 2U);
}

TEST_F(FleetTest, ARestartedAgentCountsFromOneAgain) {
    take(report("east", "if1", 900), seconds(0));
    auto fresh = report("east", "if1", 1);
    fresh.boot_id = "boot2";
    EXPECT_EQ(take(fresh, seconds(5)), Taken::live);
    auto late = report("east", "if1", 901);
    late.age_ms = 8'000;
    EXPECT_EQ(take(late, seconds(6)), Taken::backfill) << "of the run before";
}

TEST_F(FleetTest, AgeCountsFromTheMeasurement) {
    auto held = report("east", "if1", 1);
    held.age_ms = 25'000;
    EXPECT_EQ(take(held, seconds(0)), Taken::live);
    EXPECT_FALSE(host("east/if1").stale(at(seconds(5)).now, 3));
    EXPECT_TRUE(host("east/if1").stale(at(seconds(6)).now, 3));
}

// M-T14: wall clocks decide nothing.
TEST_F(FleetTest, AWallClockThatIsWrongIsShownAndChangesNothingElse) {
    take(report("east", "if1", 1), seconds(0));
    EXPECT_EQ(host("east/if1").skew_ms, 0);
    auto ahead = report("east", "if1", 2);
    ahead.sent_wall_ms = static_cast<std::uint64_t>(kNoon + 10'000 + 3'600'000);
    EXPECT_EQ(take(ahead, seconds(10)), Taken::live);
    EXPECT_EQ(host("east/if1").skew_ms, 3'600'000);
    auto behind = report("east", "if1", 3);
    behind.sent_wall_ms = static_cast<std::uint64_t>(kNoon + 20'000 - 3'600'000);
    EXPECT_EQ(take(behind, seconds(20)), Taken::live);
    EXPECT_EQ(host("east/if1").skew_ms, -3'600'000);
    EXPECT_FALSE(host("east/if1").stale(at(seconds(50)).now, 3));
    EXPECT_TRUE(host("east/if1").stale(at(seconds(51)).now, 3));
}

TEST_F(FleetTest, ClaimsOfASenderAreBounded) {
    auto hostile = report("east", "if1", ~std::uint64_t{0});
    hostile.interval_ms = ~std::uint64_t{0};
    hostile.age_ms = ~std::uint64_t{0};
    hostile.sent_wall_ms = ~std::uint64_t{0};
    take(hostile, seconds(0));
    EXPECT_EQ(host("east/if1").interval, std::chrono::minutes(10));
    EXPECT_TRUE(host("east/if1").stale(at(seconds(0)).now, 3));
    auto eager = report("east", "proc1", 1);
    eager.interval_ms = 1;
    take(eager, seconds(0));
    EXPECT_EQ(host("east/proc1").interval, milliseconds(100));
}

TEST_F(FleetTest, ABatchOfAnotherSiteIsRefusedAsAWhole) {
    auto mixed = batch(1);
    mixed.reports = {report("east", "if1", 1), report("west", "if1", 1)};
    EXPECT_EQ(fleet_.take_batch(kMonitor, mixed, at(seconds(0))), Taken::foreign);
    EXPECT_TRUE(live_.empty());
    auto named = batch(1);
    named.name = "mon-west";
    EXPECT_EQ(fleet_.take_batch(kMonitor, named, at(seconds(0))), Taken::foreign);
    EXPECT_EQ(
        fleet_.take_batch(agent("east", "mon-east"), batch(1), at(seconds(0))), Taken::foreign
    );
    EXPECT_EQ(
        fleet_.take_batch(
            {"east", "monitor", "other"},
            [] {
                auto out = batch(1);
                out.name = "other";
                return out;
            }(),
            at(seconds(0))
        ),
        Taken::unknown
    );
    EXPECT_EQ(batches_, 0);
}

TEST_F(FleetTest, ABatchTwiceCountsOnce) {
    EXPECT_EQ(fleet_.take_batch(kMonitor, batch(7), at(seconds(0))), Taken::live);
    EXPECT_EQ(fleet_.take_batch(kMonitor, batch(7), at(seconds(1))), Taken::duplicate);
    EXPECT_EQ(batches_, 1);
    EXPECT_FALSE(fleet_.monitors()[0].stale(at(seconds(3)).now, 3));
    EXPECT_TRUE(fleet_.monitors()[0].stale(at(seconds(4)).now, 3));
    EXPECT_TRUE(fleet_.monitors()[1].stale(at(seconds(0)).now, 3));
}

TEST_F(FleetTest, UnknownHostsInABatchAreLeftOut) {
    auto more = batch(1);
    more.reports = {report("east", "ghost", 1), report("east", "if1", 1)};
    EXPECT_EQ(fleet_.take_batch(kMonitor, more, at(seconds(0))), Taken::live);
    EXPECT_EQ(live_, std::vector<std::string>{"east/if1"});
    EXPECT_EQ(fleet_.find_host("east/ghost"), nullptr);
}

TEST_F(FleetTest, ProbesComeInTheOrderOfTheirMeasurement) {
    auto probing = batch(1);
    for (const std::uint64_t age : {100U, 900U, 500U}) {
        ProbeResult result;
        result.name = "ocs-as-east";
        result.subject = "service:ocs";
        result.view = "east";
        result.ok = age == 100;
        result.age_ms = age;
        probing.probes.push_back(result);
    }
    fleet_.take_batch(kMonitor, probing, at(seconds(1)));
    ASSERT_EQ(facts_.size(), 3U);
    EXPECT_EQ(facts_[0].wall_ms, kNoon + 100);
    EXPECT_EQ(facts_[1].wall_ms, kNoon + 500);
    EXPECT_EQ(facts_[2].wall_ms, kNoon + 900);
    EXPECT_EQ(facts_[2].at, at(milliseconds(900)).now);
    EXPECT_EQ(facts_[0].observer, "east/mon-east");
    EXPECT_TRUE(fleet_.probes().at("east/mon-east").at("ocs-as-east").ok);
}

// A monitor tells the last result of a slow probe in every batch.
TEST_F(FleetTest, AResultThatIsToldAgainCountsOnce) {
    ProbeResult result;
    result.name = "east-slb";
    result.subject = "site:east";
    const auto send = [&](std::uint64_t seq, std::uint64_t age_ms, bool ok) {
        auto probing = batch(seq);
        result.age_ms = age_ms;
        result.ok = ok;
        probing.probes = {result};
        fleet_.take_batch(kMonitor, probing, at(seconds(seq)));
    };
    send(1, 100, true);
    send(2, 1'090, true);  // the same one, a little faster under way
    send(3, 2'110, true);
    EXPECT_EQ(facts_.size(), 1U);
    send(4, 100, true);
    EXPECT_EQ(facts_.size(), 2U);
    send(5, 1'080, false);
    EXPECT_EQ(facts_.size(), 3U) << "another outcome is another measurement";
    EXPECT_EQ(fleet_.counters().probes, 3U);
}

TEST_F(FleetTest, AMonitorWithEndlessProbeNamesFillsNoMemory) {
    for (std::uint64_t round = 0; round < 20; ++round) {
        auto probing = batch(round);
        for (int i = 0; i < 100; ++i) {
            ProbeResult result;
            result.name = std::to_string(round) + "-" + std::to_string(i);
            probing.probes.push_back(result);
        }
        fleet_.take_batch(kMonitor, probing, at(seconds(1)));
    }
    EXPECT_EQ(fleet_.probes().at("east/mon-east").size(), 512U);
    EXPECT_EQ(facts_.size(), 512U) << "nor that of those behind";
    EXPECT_EQ(fleet_.counters().dropped, 2'000U - 512U);
}

TEST(Fleet, ChargingOfAServiceThatIsNotConfiguredIsDropped) {
    std::vector<std::string> told;
    Fleet::Listeners listeners;
    listeners.on_probe = [&](const ProbeFact& fact) { told.push_back(fact.name); };
    Fleet fleet({{}, {{"east", "mon-east"}}, {{"ocs"}}}, listeners);
    auto probing = batch(1);
    for (const auto& [name, kind, subject] :
         {std::tuple("a", "charging", "service:ocs"),
          std::tuple("b", "charging", "service:other"),
          std::tuple("c", "charging", "site:east"),
          std::tuple("d", "http", "site:east")}) {
        ProbeResult result;
        result.name = name;
        result.kind = kind;
        result.subject = subject;
        probing.probes.push_back(result);
    }
    fleet.take_batch(kMonitor, probing, {Time() + std::chrono::hours(1), kNoon});
    EXPECT_EQ(told, (std::vector<std::string>{"a", "d"}));
    EXPECT_EQ(fleet.probes().at("east/mon-east").size(), 2U);
}

TEST_F(FleetTest, AnAgentWithEndlessNamesHasAFewSeries) {
    for (std::uint64_t seq = 1; seq <= 20; ++seq) {
        auto from = report("east", "if1", seq);
        for (int i = 0; i < 100; ++i) {
            wire::contract::Sample disk;
            disk.collector = "disk";
            disk.instance = "/" + std::to_string(seq) + "/" + std::to_string(i);
            disk.numbers = {{"used_percent", 1}};
            from.samples.push_back(disk);
        }
        take(std::move(from), seconds(seq));
    }
    fleet_.tick(at(seconds(30)));
    std::set<std::string> names;
    std::size_t idle = 0;
    for (const auto& point : history_) {
        names.insert(point.metric);
        if (point.metric == "cpu.idle") ++idle;
    }
    EXPECT_EQ(names.size(), 256U);
    EXPECT_EQ(idle, 20U) << "those there go on";
}

TEST_F(FleetTest, HistoryIsHandedOverInBatches) {
    for (std::uint64_t seq = 1; seq <= 8'191; ++seq)
        take(report("east", "if1", seq), milliseconds(seq));
    EXPECT_TRUE(history_.empty());
    take(report("east", "if1", 8'192), seconds(9));
    EXPECT_EQ(history_.size(), 8'192U);
    take(report("east", "if1", 8'193), seconds(10));
    fleet_.tick(at(seconds(10)));
    EXPECT_EQ(history_.size(), 8'193U);
    EXPECT_EQ(fleet_.counters().history_points, 8'193U);
}

// 200 agents come back at once after the server's start: each is taken, none is judged by backlog.
TEST(Fleet, TwoHundredAgentsComeBackWithTheirBacklog) {
    Roster roster;
    for (int i = 0; i < 200; ++i)
        roster.agents.push_back({"east", "h" + std::to_string(i), "interface"});
    int live = 0;
    std::size_t points = 0;
    Fleet fleet(
        roster,
        {[&live](const Host&) { ++live; },
         {},
         {},
         [&points](const std::vector<store::HistoryPoint>& more) { points += more.size(); }}
    );
    const Moment now{Time() + seconds(100), kNoon};
    for (const auto& plan : roster.agents) {
        EXPECT_EQ(
            fleet.take_report(agent("east", plan.name), report("east", plan.name, 60), now),
            Taken::live
        );
        for (std::uint64_t seq = 59; seq > 0; --seq) {
            auto old = report("east", plan.name, seq);
            old.backfill = true;
            old.age_ms = (60 - seq) * 10'000;
            fleet.take_report(agent("east", plan.name), old, now);
        }
    }
    fleet.tick(now);
    EXPECT_EQ(live, 200);
    EXPECT_EQ(points, 200U * 60U);
    EXPECT_EQ(fleet.counters().duplicates, 0U);
}

}  // namespace
}  // namespace twinsite::switchover::fleet
