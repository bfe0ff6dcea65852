// SPDX-License-Identifier: Apache-2.0
// M-T6: the server is killed at any point of a run; after the restart the run ends the same, and
// nothing was done twice.
#include <gtest/gtest.h>

#include "switchover/scenario/machine.hpp"
#include "tests/switchover/scenario/sample.hpp"
#include "tests/switchover/scenario/world.hpp"

namespace twinsite::switchover::scenario {
namespace {

using Kind = Event::Kind;

/// Where the server dies, counted in transitions.
enum class Death {
    intent_written,  ///< The run is stored; its effects were not carried out.
    effect_done,     ///< They were; their results are lost.
};

struct Played {
    Run run;
    std::vector<std::string> done;
    int transitions = 0;
};

/// Plays to the end, answering yes. Dies in transition `dies_at` (and in every one when it is -1).
Played play(const Scenario& scenario, int dies_at, Death death, World world = {}) {
    Player player(scenario, make_run(scenario, sample_request()));
    player.world = std::move(world);
    int count = 0;
    std::int64_t mono = 50'000;
    const auto give = [&](const Event& event) {
        player.give(event);
        ++count;
        if (dies_at != count && !(dies_at == -1 && event.kind != Kind::restored)) return;
        if (death == Death::effect_done)
            for (const auto& effect : player.waiting()) player.world.carry_out(effect);
        player.die_and_restore(mono += 1'000'000);
        player.now.wall += 700;
    };
    give(Event::of(Kind::start));
    for (int i = 0; i < 1'000 && !ended(player.run().state); ++i) {
        if (!player.waiting().empty()) {
            const auto effect = player.waiting().front();
            player.waiting().pop_front();
            if (const auto event = player.world.carry_out(effect)) give(*event);
            continue;
        }
        if (player.step_of("look").phase == Phase::human) {
            give(by(Kind::answer, "look", true));
            continue;
        }
        const auto wake = next_wake(player.run());
        if (!wake) break;
        const auto ms = std::max<std::int64_t>(1, *wake - player.now.mono);
        player.now.mono += ms;
        player.now.wall += ms;
        give(Event::of(Kind::tick));
    }
    auto done = player.world.done;
    std::sort(done.begin(), done.end());
    return {player.run(), done, count};
}

void expect_same_end(const Played& got, const Played& want) {
    EXPECT_EQ(got.run.state, want.run.state) << to_string(got.run.state) << got.run.output;
    EXPECT_EQ(got.done, want.done);
    for (std::size_t i = 0; i < want.run.steps.size(); ++i) {
        EXPECT_EQ(got.run.steps[i].state, want.run.steps[i].state) << want.run.steps[i].id;
        EXPECT_EQ(got.run.steps[i].tries, want.run.steps[i].tries) << want.run.steps[i].id;
    }
}

TEST(Restart, KilledAtAnyTransitionItEndsTheSameAndNothingIsDoneTwice) {
    const auto scenario = scenario_of(kWhole);
    const auto whole = play(scenario, 0, Death::intent_written);
    ASSERT_EQ(whole.run.state, RunState::succeeded);
    ASSERT_GT(whole.transitions, 10);
    for (const auto death : {Death::intent_written, Death::effect_done})
        for (int at = 1; at <= whole.transitions; ++at) {
            SCOPED_TRACE(at);
            expect_same_end(play(scenario, at, death), whole);
        }
}

TEST(Restart, KilledAtEveryTransitionItStillEnds) {
    const auto scenario = scenario_of(kWhole);
    const auto whole = play(scenario, 0, Death::intent_written);
    for (const auto death : {Death::intent_written, Death::effect_done})
        expect_same_end(play(scenario, -1, death), whole);
}

TEST(Restart, RollbackGoesOnAsWell) {
    const auto scenario = scenario_of(kWhole);
    World world;
    world.script["steer"] = {{Event::Outcome::failed, "1"}, {Event::Outcome::failed, "2"}};
    const auto whole = play(scenario, 0, Death::intent_written, world);
    ASSERT_EQ(whole.run.state, RunState::failed);
    EXPECT_EQ(std::count(whole.done.begin(), whole.done.end(), "drain slb.activate"), 1);
    for (const auto death : {Death::intent_written, Death::effect_done})
        for (int at = 1; at <= whole.transitions; ++at) {
            SCOPED_TRACE(at);
            expect_same_end(play(scenario, at, death, world), whole);
        }
}

TEST(Restart, AsksAgainByTheSameId) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.play(Event::of(Kind::start));  // up to the wait
    Player other(scenario, make_run(scenario, sample_request()));
    other.give(Event::of(Kind::start));
    for (const char* phase : {"check", "act"}) {
        const auto before = other.waiting();
        other.last_effects.clear();
        other.die_and_restore(5'000);
        ASSERT_EQ(other.last_effects.size(), before.size()) << phase;
        for (std::size_t i = 0; i < before.size(); ++i) {
            EXPECT_EQ(other.last_effects[i].op_id, before[i].op_id);
            EXPECT_EQ(other.last_effects[i].kind, before[i].kind);
            EXPECT_EQ(other.last_effects[i].action, before[i].action);
            EXPECT_EQ(other.last_effects[i].checks, before[i].checks);
            EXPECT_TRUE(other.last_effects[i].again);
        }
        const auto effect = other.waiting().front();
        other.waiting().pop_front();
        other.give(*other.world.carry_out(effect));
    }
}

TEST(Restart, TimeThatPassedMeanwhileCountsByTheWallClock) {
    const auto scenario = scenario_of(kWhole);
    auto request = sample_request("auto");
    Player player(scenario, make_run(scenario, request));
    player.play(Event::of(Kind::start));
    ASSERT_EQ(player.run().state, RunState::await_approval);
    player.pass(30'000);
    player.now.wall += 20'000;  // 20 s without a server
    player.die_and_restore(1'000);
    // The tick at 30 s changed nothing, so nothing was stored then: 50 s of 90 s are over.
    EXPECT_EQ(next_wake(player.run()), 1'000 + 40'000);
    player.pass(39'999);
    EXPECT_EQ(player.run().state, RunState::await_approval);
    player.pass(1);
    EXPECT_EQ(player.run().state, RunState::timed_out);
}

TEST(Restart, ClockThatWentBackHarmsNothing) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request("auto")));
    player.play(Event::of(Kind::start));
    player.now.wall -= 3'600'000;
    player.die_and_restore(1'000);
    EXPECT_EQ(next_wake(player.run()), 91'000);
    player.play(by(Kind::approve));
    EXPECT_TRUE(player.play_out());
}

TEST(Restart, DecodingRefusesWhatWasNotWritten) {
    const auto scenario = scenario_of(kWhole);
    const auto run = make_run(scenario, sample_request());
    const auto text = encode_run(run);
    EXPECT_TRUE(decode_run(text).has_value());
    const std::pair<std::string, std::string> slips[] = {
        {"\"schema\":1", "\"schema\":2"},
        {"\"DRAFT\"", "\"DRAFTY\""},
        {"\"PENDING\"", "\"\""},
        {"\"deadline\":0", "\"deadline\":-1"},
        {"\"approved\":true", "\"approved\":1"},
        {"\"tries\":0", "\"tries\":99999999999"},
        {"\"marks\":[null,", "\"marks\":["},
        {"\"id\":\"r01", "\"id\":[1],\"x\":\"r01"},
        {"\"warnings\":[]", "\"warnings\":[7]"},
    };
    for (const auto& [from, to] : slips) {
        auto wrong = text;
        ASSERT_NE(wrong.find(from), std::string::npos) << from;
        wrong.replace(wrong.find(from), from.size(), to);
        EXPECT_FALSE(decode_run(wrong).has_value()) << to;
    }
    for (const auto* wrong : {"", "{}", "[]", "null", "{\"schema\":1}"})
        EXPECT_FALSE(decode_run(wrong).has_value()) << wrong;
    EXPECT_FALSE(decode_run(text.substr(0, text.size() - 1)).has_value());
}

TEST(Restart, RunFitsOnlyItsScenario) {
    const auto scenario = scenario_of(kWhole);
    const auto run = make_run(scenario, sample_request());
    EXPECT_TRUE(fits(scenario, run));
    auto other = scenario;
    other.steps[2].targets.pop_back();
    EXPECT_FALSE(fits(other, run));
    other = scenario;
    other.steps.pop_back();
    EXPECT_FALSE(fits(other, run));
    other = scenario;
    other.steps[0].id = "x";
    EXPECT_FALSE(fits(other, run));
}

}  // namespace
}  // namespace twinsite::switchover::scenario
