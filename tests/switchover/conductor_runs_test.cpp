// SPDX-License-Identifier: Apache-2.0
// Runs over restarts, failures of the store, and the marks of the RTO.
#include <gtest/gtest.h>

#include "switchover/store/sqlite.hpp"
#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;
using scenario::RunState;

/// Runs east-down with the server killed when `kills` effects were answered. Gives the number of
/// effects that it took.
unsigned run_with_a_kill(Town& town, unsigned kill_at, bool after_sending) {
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    EXPECT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    unsigned answered = 0;
    for (int i = 0; i < 200 && !ended(town.stored_runs()[0].state); ++i) {
        if (!town.pending.empty()) {
            if (answered == kill_at) {
                // The agent may have got the command already when the server dies.
                if (after_sending)
                    for (const auto& each : town.pending)
                        if (each.effect.action.name == "agent.run")
                            town.executed[each.effect.op_id] = 1;
                town.restart();
            } else {
                town.answer_effects();
            }
            ++answered;
        }
        town.pass(500ms);
    }
    return answered;
}

void expect_done_once(Town& town) {
    const auto runs = town.stored_runs();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].state, RunState::succeeded) << runs[0].output;
    EXPECT_TRUE(town.is_wanted_out("east"));
    EXPECT_EQ(town.audited("wanted.out"), 1U);
    // Two steps run something on an agent; each was executed once, under one operation id.
    EXPECT_EQ(town.executed.size(), 2U);
    for (const auto& [op_id, times] : town.executed) EXPECT_EQ(times, 1U) << op_id;
}

TEST(ConductorRuns, AKillAtAnyBoundaryNeitherLosesNorRepeatsAStep) {
    unsigned boundaries = 0;
    {
        Town town;
        boundaries = run_with_a_kill(town, 1'000, false);
        expect_done_once(town);
    }
    ASSERT_GE(boundaries, 6U);
    for (unsigned at = 0; at < boundaries; ++at)
        for (const bool sent : {false, true}) {
            SCOPED_TRACE(
                "killed at effect " + std::to_string(at) + (sent ? ", sent" : ", not sent")
            );
            Town town;
            run_with_a_kill(town, at, sent);
            expect_done_once(town);
            EXPECT_EQ(town.audited("run.adopt"), 1U);
            EXPECT_FALSE(town.store().verify_audit()->first_bad);
        }
}

TEST(ConductorRuns, ARunFoundAtTheStartStandsStillUntilTheJudgeHears) {
    Town town;
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.link = false;
    town.restart();
    town.pass(3s);
    EXPECT_TRUE(town.pending.empty());
    EXPECT_EQ(town.conductor().runs().runs().size(), 1U);
    api::RunOrder pause;
    pause.run = town.stored_runs()[0].id;
    EXPECT_TRUE(std::holds_alternative<api::Refusal>(town.conductor().order_run({"li", ""}, pause))
    );
    town.link = true;
    EXPECT_TRUE(town.pass_until([&] { return !town.pending.empty(); }, 15s));
    town.hold_effects = false;
    town.pass(15s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded);
}

TEST(ConductorRuns, TheMarksTellWhenUsersWereWithoutService) {
    Town town;
    town.pass(10s);
    const auto last_good = town.wall();
    town.east = false;
    town.users = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.pass(3s);
    const auto back = town.wall() + 500;
    town.users = true;
    ASSERT_TRUE(town.pass_until([&] { return ended(town.stored_runs()[0].state); }, 20s));
    town.pass(2s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.marks[0], last_good);
    EXPECT_EQ(run.marks[5], back);
    ASSERT_TRUE(run.marks[1] && run.marks[2] && run.marks[3] && run.marks[4]);
    EXPECT_LE(*run.marks[0], *run.marks[1]);
    EXPECT_LE(*run.marks[1], *run.marks[2]);
    EXPECT_LE(*run.marks[2], *run.marks[3]);
    EXPECT_LE(*run.marks[3], *run.marks[4]);
    EXPECT_FALSE(run.health_alone);
    EXPECT_EQ(run.human_wait_ms, 0);
}

TEST(ConductorRuns, UsersServedBeforeTheFirstStepWereRestoredByHealthAlone) {
    Town town;
    town.pass(10s);
    const auto last_good = town.wall();
    town.east = false;
    town.users = false;
    town.pass(1s);
    town.users = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.pass(10s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::succeeded) << run.output;
    EXPECT_EQ(run.marks[0], last_good);
    EXPECT_EQ(run.marks[5], last_good + 1'500);
    EXPECT_TRUE(run.health_alone);
}

TEST(ConductorRuns, AStopThatOutlivesARestartKeepsItsBeginning) {
    Town town;
    town.pass(10s);
    const auto last_good = town.wall();
    town.east = false;
    town.users = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.restart();
    town.pass(4s);
    const auto back = town.wall() + 500;
    town.users = true;
    town.pass(20s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::succeeded) << run.output;
    EXPECT_EQ(run.marks[0], last_good);
    EXPECT_EQ(run.marks[5], back);
}

TEST(ConductorRuns, ALeaderThatLostTheStoreDoesNothingMore) {
    Town town;
    town.pass(10s);
    lead::Leader other(town.store(), "other");
    ASSERT_TRUE(other.take());
    town.east = false;
    town.pass(30s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_FALSE(town.conductor().leader().leads());
    const auto refused = town.conductor().pause({"li", ""}, "x", std::nullopt);
    EXPECT_EQ(std::get<api::Refusal>(refused).status, 503U);
    EXPECT_EQ(std::get<api::Refusal>(refused).rule, "leader");
}

TEST(ConductorRuns, ALossThatACommitFindsDropsTheEffects) {
    Town town;
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return !town.pending.empty(); }, 15s));
    lead::Leader other(town.store(), "other");
    ASSERT_TRUE(other.take());
    const auto refused = town.conductor().pause({"li", ""}, "x", std::nullopt);
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    town.pass(500ms);
    EXPECT_EQ(town.dropped, 1U);
    EXPECT_TRUE(town.pending.empty());
    town.pass(20s);
    EXPECT_EQ(town.dropped, 1U);
}

TEST(ConductorRuns, AServerThatLeadsOnlyLaterGoesOnWithWhatItFinds) {
    Town town;
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.takes_lead = false;
    town.restart();
    town.hold_effects = false;
    town.pass(20s);
    EXPECT_TRUE(town.conductor().runs().runs().empty());
    EXPECT_TRUE(town.executed.empty());
    town.lead();
    town.pass(20s);
    expect_done_once(town);
}

TEST(ConductorRuns, ARunThatDoesNotFitAnyMoreIsAnAlarmAndBeginsTheCoolDown) {
    Town town;
    town.pass(10s);
    town.east = false;
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    auto record = *store::load_run(town.store(), "r01-000001");
    ASSERT_TRUE(record);
    auto run = *scenario::decode_run(record->body);
    run.steps.pop_back();
    record->body = scenario::encode_run(run);
    store::Transaction transaction;
    store::save_run(transaction, *record);
    ASSERT_TRUE(town.conductor().leader().commit(transaction));
    town.restart();
    EXPECT_EQ(town.stored_runs()[0].state, RunState::failed);
    EXPECT_EQ(town.conductor().failed_runs().count("east-down"), 1U);
    EXPECT_EQ(town.conductor().counters().failed, 1U);
    EXPECT_EQ(store::last_ends(town.store())->count("east-down"), 1U);
}

TEST(ConductorRuns, AFailBackDoesNotShowTheOutageBeforeIt) {
    Town town;
    town.pass(10s);
    town.east = false;
    town.users = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.users = true;
    town.pass(15s);
    town.east = true;
    town.pass(20s);
    api::RunRequest request;
    request.scenario = "failback-east";
    request.reason = "back";
    ASSERT_TRUE(
        std::holds_alternative<scenario::Run>(town.conductor().start_run({"li", ""}, request))
    );
    town.pass(10s);
    const auto run = town.stored_runs()[0];
    ASSERT_EQ(run.scenario, "failback-east");
    EXPECT_FALSE(run.marks[0]);
    EXPECT_FALSE(run.marks[5]);
}

TEST(ConductorRuns, AnOutageThatOutlastsAFailedRunGetsItsEnd) {
    Town town;
    town.pass(10s);
    const auto last_good = town.wall();
    town.east = false;
    town.users = false;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    ASSERT_TRUE(town.pass_until([&] { return ended(town.stored_runs()[0].state); }, 30s));
    ASSERT_EQ(town.stored_runs()[0].state, RunState::failed);
    town.pass(600s);
    const auto back = town.wall() + 500;
    town.users = true;
    town.pass(5s);
    EXPECT_EQ(town.stored_runs()[0].marks[0], last_good);
    EXPECT_EQ(town.stored_runs()[0].marks[5], back);
}

TEST(ConductorRuns, AWantedStateAskedAgainIsWrittenOnce) {
    Town town;
    town.pass(5s);
    store::WantedState out{"gslb", "site:east", "out", "r", "r01-000001", 1};
    ASSERT_TRUE(town.conductor().want(out));
    ASSERT_TRUE(town.conductor().want(out));
    EXPECT_EQ(town.audited("wanted.out"), 1U);
    town.restart();
    EXPECT_TRUE(town.is_wanted_out("east"));
    out.state = "in";
    ASSERT_TRUE(town.conductor().want(out));
    ASSERT_TRUE(town.conductor().want(out));
    EXPECT_EQ(town.audited("wanted.in"), 1U);
    EXPECT_FALSE(town.is_wanted_out("east"));
}

}  // namespace
}  // namespace twinsite::switchover
