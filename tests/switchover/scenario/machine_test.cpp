// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/machine.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/scenario/sample.hpp"
#include "tests/switchover/scenario/world.hpp"

namespace twinsite::switchover::scenario {
namespace {

using Kind = Event::Kind;
using Outcome = Event::Outcome;
using Texts = std::vector<std::string>;

Scenario with_steps(const std::string& steps, const std::string& more = "") {
    return scenario_of(std::string(kHead) + more + "steps:\n" + steps);
}

Event start() {
    return Event::of(Kind::start);
}

TEST(Machine, GoesThroughAllStepsInTheOrderOfTheirNeeds) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.play(start());
    EXPECT_EQ(player.run().state, RunState::running);
    EXPECT_EQ(
        player.world.done,
        (Texts{
            "announce notify",
            "drain slb.drain",
            "tell-all/west/if1 agent.run",
            "tell-all/west/if2 agent.run",
            "tell-all/west/proc1 agent.run",
            "steer gslb.set"
        })
    );
    EXPECT_EQ(player.step_of("rest").phase, Phase::wait);
    player.pass(2'000);
    EXPECT_EQ(player.step_of("look").phase, Phase::human);
    player.pass(500);
    player.play(by(Kind::answer, "look", true));
    EXPECT_EQ(player.run().state, RunState::succeeded);
    EXPECT_EQ(player.transitions, (Texts{"PRECHECK", "RUNNING", "VERIFYING", "SUCCEEDED"}));
    EXPECT_EQ(player.run().human_wait_ms, 500);
    EXPECT_TRUE(player.run().marks[2] && player.run().marks[3] && player.run().marks[4]);
    EXPECT_EQ(*player.run().marks[4] - *player.run().marks[3], 2'500);
    for (const auto& at : player.run().steps) EXPECT_EQ(at.state, StepState::ok) << at.id;
}

TEST(Machine, OperationIdsHaveRunStepAndNumber) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.play(start());
    EXPECT_EQ(player.step_of("drain").targets[0].op_id, "r01-000017-drain-2");
    EXPECT_EQ(player.step_of("tell-all").targets[2].op_id, "r01-000017-tell-all-4.t2");
    for (const auto& effect : player.last_effects) {
        EXPECT_LE(effect.op_id.size(), 64U);
        EXPECT_EQ(
            effect.op_id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-"),
            std::string::npos
        );
    }
}

TEST(Machine, NothingIsDoneWhenWhatIsRequiredDoesNotHold) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script[".require?"] = {{Outcome::failed, "site.ready(west): no"}};
    player.play(start());
    EXPECT_EQ(player.run().state, RunState::failed);
    EXPECT_EQ(player.run().output, "not begun: site.ready(west): no");
    EXPECT_TRUE(player.world.done.empty());
    EXPECT_EQ(player.step_of("steer").state, StepState::skipped);
}

TEST(Machine, OverriddenRuleIsNotAskedAndStaysAWarning) {
    const auto scenario = scenario_of(kWhole);
    auto request = sample_request();
    request.overrides = {{"site.ready", "seen by myself"}};
    Player player(scenario, make_run(scenario, request));
    player.play(start());
    for (const auto& effect : player.last_effects)
        for (const auto& check : effect.checks) EXPECT_NE(check.name, "site.ready");
    player.play_out();
    EXPECT_EQ(player.run().state, RunState::succeeded_warn);
    EXPECT_EQ(player.run().warnings[0], "rule site.ready overridden: seen by myself");
}

TEST(Machine, AutomaticStartWaitsForApprovalAndAPersonsStartDoesNot) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request("auto")));
    player.play(start());
    EXPECT_EQ(player.run().state, RunState::await_approval);
    player.pass(45'000);
    EXPECT_EQ(human_wait_ms(player.run(), player.now.mono), 45'000);
    player.play(by(Kind::approve));
    EXPECT_EQ(player.run().state, RunState::running);
    EXPECT_EQ(player.run().human_wait_ms, 45'000);

    Player late(scenario, make_run(scenario, sample_request("auto")));
    late.play(start());
    late.pass(90'000);
    EXPECT_EQ(late.run().state, RunState::timed_out);
    EXPECT_TRUE(late.world.done.empty());
}

TEST(Machine, FailedTryIsMadeAgainWithANewOperation) {
    const auto scenario = with_steps(
        "  - {id: a, tries: 3, backoff: 2s, do: {agent.run: {host: west/if1, action: x}}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}, {Outcome::failed, "no"}};
    player.play(start());
    EXPECT_EQ(player.step_of("a").phase, Phase::backoff);
    player.pass(1'999);
    EXPECT_EQ(player.world.done.size(), 1U);
    player.pass(1);
    player.pass(2'000);
    EXPECT_EQ(player.world.asked, (Texts{"r01-000017-a-1", "r01-000017-a-2", "r01-000017-a-3"}));
    EXPECT_EQ(player.run().state, RunState::succeeded);
    EXPECT_EQ(player.step_of("a").tries, 3U);
}

TEST(Machine, TryThatTimedOutIsAskedForAgainByItsId) {
    const auto scenario = with_steps(
        "  - {id: a, tries: 2, timeout: 5s, backoff: 1s, do: {agent.run: {host: west/if1, action: "
        "x}}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.silent = {"r01-000017-a-1"};
    player.play(start());
    player.last_effects.clear();
    player.pass(6'000);
    ASSERT_EQ(player.last_effects.size(), 1U);
    EXPECT_EQ(player.last_effects[0].kind, Effect::Kind::cancel);
    player.world.silent.clear();
    player.pass(1'000);
    EXPECT_EQ(player.run().state, RunState::succeeded);
    EXPECT_EQ(player.world.asked, (Texts{"r01-000017-a-1", "r01-000017-a-1"}));
    EXPECT_EQ(player.world.times("a agent.run"), 1);
    EXPECT_TRUE(player.last_effects.back().again);
}

TEST(Machine, LastTryThatTimesOutSaysSo) {
    const auto scenario =
        with_steps("  - {id: a, timeout: 5s, do: {agent.run: {host: west/if1, action: x}}}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.silent = {"r01-000017-a-1"};
    player.play(start());
    player.pass(6'000);
    EXPECT_EQ(player.step_of("a").state, StepState::timed_out);
    EXPECT_EQ(player.run().state, RunState::paused_step_failed);
    EXPECT_EQ(player.run().output, "step a: no answer within 5s");
}

TEST(Machine, UnknownOutcomeIsNeverTriedAgainByItself) {
    const auto scenario =
        with_steps("  - {id: a, tries: 3, do: {agent.run: {host: west/if1, action: x}}}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::unknown, "the agent died"}};
    player.play(start());
    EXPECT_EQ(player.step_of("a").state, StepState::unknown_outcome);
    EXPECT_EQ(player.run().state, RunState::paused_step_failed);
    player.pass(100'000);
    EXPECT_EQ(player.world.done.size(), 1U);
    // A person may.
    player.play(by(Kind::retry, "a"));
    EXPECT_EQ(player.world.asked, (Texts{"r01-000017-a-1", "r01-000017-a-2"}));
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Machine, CheckBehindThatFailsMakesTheWholeStepFail) {
    const auto scenario = with_steps(
        "  - id: a\n"
        "    do: {gslb.set: {site: east, state: out}}\n"
        "    post: [gslb.applied(east) == out]\n"
        "    tries: 2\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a?"] = {{Outcome::failed, "in"}, {Outcome::failed, "in, too"}};
    player.play(start());
    player.pass(2'000);
    EXPECT_EQ(player.world.times("a gslb.set"), 2);
    EXPECT_EQ(player.run().state, RunState::paused_step_failed);
    EXPECT_EQ(player.step_of("a").output, "in, too");
}

TEST(Machine, CheckBeforeThatFailsKeepsTheActionFromBeingDone) {
    const auto scenario = with_steps(
        "  - {id: a, pre: [site.ok(west)], do: {gslb.set: {site: east, state: out}}}\n",
        "safety: [site.ready(west)]\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a?"] = {{Outcome::failed, "no"}};
    player.play(start());
    EXPECT_TRUE(player.world.done.empty());
    EXPECT_EQ(player.run().state, RunState::paused_step_failed);
    const auto& check = player.last_effects.back();
    ASSERT_EQ(check.checks.size(), 2U);  // the safety rules are looked at before each action
    EXPECT_EQ(check.checks[0].name, "site.ready");
}

const char* const kTwo =
    "  - {id: a, ON_FAIL do: {gslb.set: {site: east, state: out}}, undo: {gslb.set: {site: east, "
    "state: in}}}\n"
    "  - {id: b, needs: [a], do: {notify: {text: x}}}\n";

std::string with_on_fail(const std::string& word) {
    std::string out = kTwo;
    out.replace(out.find("ON_FAIL"), 7, word.empty() ? "" : "on_fail: " + word + ",");
    return out;
}

struct FailCase {
    const char* on_fail;
    RunState state;
    const char* done;
};

TEST(Machine, OnFailDecides) {
    const FailCase cases[] = {
        {"pause", RunState::paused_step_failed, "a gslb.set"},
        {"continue", RunState::failed, "b notify"},  // goes on, but a required step failed
        {"ignore", RunState::succeeded_warn, "b notify"},
        {"abort", RunState::failed, "a gslb.set"},
    };
    for (const auto& [on_fail, state, done] : cases) {
        const auto scenario = with_steps(with_on_fail(on_fail));
        Player player(scenario, make_run(scenario, sample_request()));
        player.world.script["a"] = {{Outcome::failed, "no"}};
        player.play(start());
        EXPECT_EQ(player.run().state, state) << on_fail;
        EXPECT_EQ(player.world.done.back(), done) << on_fail;
        EXPECT_EQ(player.step_of("a").state, StepState::failed);
    }
}

TEST(Machine, RequiredHookThatFailsMakesTheRunFail) {  // the worst required step decides
    const auto scenario = with_steps(
        "  - {id: a, do: {notify: {text: x}}}\n"
        "  - {id: hook, needs: [a], on_fail: continue, do: {agent.run: {host: west/if1, action: "
        "x}}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["hook"] = {{Outcome::failed, "exit 1"}};
    player.play(start());
    EXPECT_EQ(player.run().state, RunState::failed);
    EXPECT_EQ(player.run().output, "step hook: exit 1");
}

TEST(Machine, RollbackUndoesInReverseOrderWhatWasBegun) {
    const auto scenario = with_steps(
        "  - {id: a, do: {slb.drain: {site: east, blade: b1}}, undo: {slb.activate: {site: east, "
        "blade: b1}}}\n"
        "  - {id: b, needs: [a], do: {notify: {text: x}}}\n"
        "  - {id: c, needs: [b], on_fail: rollback, do: {gslb.set: {site: east, state: out}}, "
        "undo: {gslb.set: {site: east, state: in}}}\n"
        "  - {id: d, needs: [c], do: {notify: {text: x}}, undo: {notify: {text: y}}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["c"] = {{Outcome::failed, "no"}};
    player.play(start());
    EXPECT_EQ(
        player.world.done,
        (Texts{"a slb.drain", "b notify", "c gslb.set", "c gslb.set", "a slb.activate"})
    );
    EXPECT_EQ(player.world.asked[3], "r01-000017-c-2.undo");
    EXPECT_EQ(player.run().state, RunState::failed);
    EXPECT_EQ(player.step_of("a").state, StepState::rolled_back);
    EXPECT_EQ(player.step_of("b").state, StepState::ok);
    EXPECT_EQ(player.step_of("c").state, StepState::rolled_back);
    EXPECT_EQ(player.step_of("d").state, StepState::skipped);
    EXPECT_EQ(player.transitions, (Texts{"RUNNING", "ROLLING_BACK", "FAILED"}));
}

TEST(Machine, UndoThatFailsIsTriedAgainAndThenNamed) {
    const auto scenario = with_steps(
        "  - {id: a, tries: 2, backoff: 1s, do: {gslb.set: {site: east, state: out}}, undo: "
        "{gslb.set: {site: east, state: in}}}\n"
        "  - {id: b, needs: [a], on_fail: rollback, do: {notify: {text: x}}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::ok, ""}, {Outcome::failed, "1"}, {Outcome::failed, "2"}};
    player.world.script["b"] = {{Outcome::failed, "no"}};
    player.play(start());
    EXPECT_EQ(player.run().state, RunState::rolling_back);
    player.pass(1'000);
    EXPECT_EQ(player.run().state, RunState::failed);
    EXPECT_EQ(player.world.times("a gslb.set"), 3);
    EXPECT_EQ(player.run().warnings, (Texts{"step a could not be undone: 2"}));
}

TEST(Machine, SkippedStepLeavesAWarning) {
    const auto scenario = with_steps(with_on_fail("pause"));
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}};
    player.play(start());
    EXPECT_EQ(player.give(by(Kind::skip, "b")), "");  // a step that waits can be left out as well
    EXPECT_EQ(player.run().state, RunState::paused_step_failed);
    player.play(by(Kind::skip));  // none named: the one that failed
    EXPECT_EQ(player.run().state, RunState::succeeded_warn);
    EXPECT_EQ(player.run().warnings.back(), "step a skipped by li: because");
    EXPECT_EQ(player.world.done.size(), 1U);
}

TEST(Machine, ResumeTriesTheFailedStepAgain) {
    const auto scenario = with_steps(with_on_fail("pause"));
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}};
    player.play(start());
    player.pass(7'000);
    player.play(by(Kind::resume));
    EXPECT_EQ(player.run().state, RunState::succeeded);
    EXPECT_EQ(player.run().human_wait_ms, 7'000);
    EXPECT_EQ(player.world.times("a gslb.set"), 2);
}

TEST(Machine, PauseLetsWhatIsUnderWayEndAndBeginsNothing) {
    const auto scenario = with_steps(with_on_fail("pause"));
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(start());
    EXPECT_EQ(player.give(by(Kind::pause)), "");
    player.work();
    EXPECT_EQ(player.step_of("a").state, StepState::ok);
    EXPECT_EQ(player.step_of("b").state, StepState::pending);
    EXPECT_EQ(player.run().state, RunState::paused_operator);
    player.pass(1'000);
    EXPECT_EQ(player.world.done.size(), 1U);
    player.play(by(Kind::resume));
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Machine, PausedRunDoesNotRetryNorWakeForIt) {
    const auto scenario = with_steps("  - {id: a, tries: 2, do: {notify: {text: x}}}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}};
    player.give(start());
    player.give(by(Kind::pause));
    player.work();
    EXPECT_EQ(player.step_of("a").phase, Phase::backoff);
    player.pass(60'000);
    EXPECT_EQ(player.world.done.size(), 1U);
    EXPECT_EQ(next_wake(player.run()), player.run().limit_deadline);
    player.play(by(Kind::resume));
    player.pass(1);
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Machine, AbortStopsWhatIsUnderWay) {
    const auto scenario = with_steps(with_on_fail("pause"));
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(start());
    player.last_effects.clear();
    player.give(by(Kind::abort));
    EXPECT_EQ(player.run().state, RunState::cancelled);
    EXPECT_EQ(player.run().output, "aborted by li: because");
    ASSERT_EQ(player.last_effects.size(), 1U);
    EXPECT_EQ(player.last_effects[0].kind, Effect::Kind::cancel);
    EXPECT_EQ(player.step_of("a").state, StepState::unknown_outcome);
    EXPECT_EQ(player.step_of("b").state, StepState::skipped);
    EXPECT_EQ(player.give(Event::result_of("r01-000017-a-1", Outcome::ok)), "the run is over");
}

TEST(Machine, AbortCanUndo) {
    const auto scenario = with_steps(with_on_fail("pause"));
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["b"] = {{Outcome::failed, "no"}};
    player.play(start());
    auto abort = by(Kind::abort);
    abort.undo = true;
    player.play(abort);
    EXPECT_EQ(player.run().state, RunState::cancelled);
    EXPECT_EQ(player.step_of("a").state, StepState::rolled_back);
    EXPECT_EQ(player.world.times("a gslb.set"), 2);
}

TEST(Machine, EachTargetHasItsShareAndItsLimit) {
    const auto scenario = with_steps(
        "  - id: a\n"
        "    each: {hosts: [west/if1, west/if2, west/proc1, east/if1]}\n"
        "    parallel: 2\n"
        "    allow_fail: 25%\n"
        "    do: {agent.run: {action: x}}\n"
    );
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(start());
    EXPECT_EQ(player.waiting().size(), 2U);  // not more at once
    player.world.script["a"] = {{Outcome::ok, ""}, {Outcome::failed, "exit 3"}};
    player.work();
    EXPECT_EQ(player.run().state, RunState::succeeded_warn);
    ASSERT_EQ(player.run().warnings.size(), 1U);
    EXPECT_NE(player.run().warnings[0].find("FAILED exit 3"), std::string::npos);

    Player worse(scenario, make_run(scenario, sample_request()));
    worse.world.script["a"] = {{Outcome::failed, "1"}, {Outcome::failed, "2"}};
    worse.play(start());
    EXPECT_EQ(worse.run().state, RunState::paused_step_failed);
    EXPECT_EQ(worse.world.done.size(), 4U);
    // A new try is made where it failed only.
    worse.play(by(Kind::resume));
    EXPECT_EQ(worse.world.done.size(), 6U);
    EXPECT_EQ(worse.run().state, RunState::succeeded);
}

TEST(Machine, ProgressIsShown) {
    const auto scenario = with_steps("  - {id: a, do: {slb.release: {site: west, rate: 5}}}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(start());
    EXPECT_EQ(player.step_of("a").state, StepState::dispatched);
    player.give(Event::result_of("r01-000017-a-1", Outcome::progress, "3 of 9"));
    EXPECT_EQ(player.step_of("a").state, StepState::running);
    EXPECT_EQ(player.step_of("a").output, "3 of 9");
    player.give(Event::result_of("r01-000017-a-1", Outcome::ok, "9 of 9"));
    EXPECT_EQ(player.run().state, RunState::succeeded);
}

TEST(Machine, HumanStepEndsByAnswerOrTime) {
    const auto scenario = with_steps("  - {id: a, human: {ask: Good, wait: 60s}}\n");
    Player yes(scenario, make_run(scenario, sample_request()));
    yes.play(start());
    EXPECT_EQ(yes.give(by(Kind::answer, "b", true)), "no such step asks");
    yes.play(by(Kind::answer, "", true));
    EXPECT_EQ(yes.run().state, RunState::succeeded);
    EXPECT_EQ(yes.step_of("a").output, "yes, says li");

    Player no(scenario, make_run(scenario, sample_request()));
    no.play(start());
    no.play(by(Kind::answer, "a", false));
    EXPECT_EQ(no.run().state, RunState::paused_step_failed);

    Player late(scenario, make_run(scenario, sample_request()));
    late.play(start());
    late.pass(60'000);
    EXPECT_EQ(late.step_of("a").state, StepState::timed_out);
    EXPECT_EQ(late.run().human_wait_ms, 0);  // still open: it is paused for a person now
    EXPECT_EQ(human_wait_ms(late.run(), late.now.mono), 60'000);
}

TEST(Machine, RunThatIsNotVerifiedFailed) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script[".verify?"] = {{Outcome::failed, "business.good(ocs): no"}};
    player.play(start());
    player.play_out();
    EXPECT_EQ(player.run().state, RunState::failed);
    EXPECT_EQ(player.run().output, "not verified: business.good(ocs): no");

    Player silent(scenario, make_run(scenario, sample_request()));
    silent.world.silent = {"r01-000017-.verify-2"};
    silent.play(start());
    silent.play_out();
    EXPECT_EQ(silent.run().state, RunState::failed);
}

TEST(Machine, VerificationHasHoldAndLimit) {
    const auto scenario = scenario_of(kWhole);
    Player player(scenario, make_run(scenario, sample_request()));
    player.play(start());
    player.play_out();
    const auto& verify = player.last_effects.back();
    EXPECT_EQ(verify.hold, Milliseconds(3'000));
    EXPECT_EQ(verify.limit, Milliseconds(20'000));
    EXPECT_EQ(verify.checks[0].text, "business.good(ocs)");
}

TEST(Machine, RunHasALimitAsAWhole) {
    const auto scenario = with_steps(with_on_fail("pause"), "limit: 60s\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.world.script["a"] = {{Outcome::failed, "no"}};
    player.play(start());
    player.pass(60'000);
    EXPECT_EQ(player.run().state, RunState::timed_out);
    EXPECT_EQ(player.step_of("b").state, StepState::skipped);
}

TEST(Machine, VariantLeavesStepsOut) {
    const auto scenario = scenario_of(kWhole);
    auto request = sample_request();
    request.variant = "forced";
    Player player(scenario, make_run(scenario, request));
    player.play(start());
    EXPECT_EQ(player.world.times("drain slb.drain"), 0);
    EXPECT_EQ(player.world.times("steer gslb.set"), 1);
    player.play_out();
    // Nobody answered the question, which goes on by itself but says so.
    EXPECT_EQ(player.run().state, RunState::succeeded_warn);
}

TEST(Machine, PlaceholdersAreFilledIn) {
    const auto scenario =
        with_steps("  - {id: a, do: {notify: {text: \"${site}: run ${run.id} by ${run.by}\"}}}\n");
    auto request = sample_request();
    request.by = "${site}";  // what people write is not looked into again
    Player player(scenario, make_run(scenario, request));
    player.give(start());
    EXPECT_EQ(
        player.last_effects[0].action.parameters.at("text"), "east: run r01-000017 by ${site}"
    );
}

TEST(Machine, OutputsAreCutAndCleaned) {
    const auto scenario = with_steps("  - {id: a, do: {notify: {text: x}}}\n");
    Player player(scenario, make_run(scenario, sample_request()));
    player.give(start());
    std::string output = "\x1b[31m\xff 东 ";
    output += std::string(100'000, '"');
    player.give(Event::result_of("r01-000017-a-1", Outcome::ok, output));
    const auto& kept = player.step_of("a").targets[0].output;
    EXPECT_EQ(kept.substr(0, 12), "?[31m? 东 \"");
    EXPECT_LE(kept.size(), 2'048U);
    EXPECT_TRUE(decode_run(encode_run(player.run())).has_value());
}

TEST(Machine, LargestRunFitsIntoTheStore) {
    Names names = sample_names();
    std::string steps;
    for (int i = 0; i < 500; ++i) names.hosts.push_back({"west/h" + std::to_string(i), "many"});
    for (int i = 0; i < 99; ++i)
        steps += "  - {id: s" + std::to_string(i) + ", on_fail: ignore, do: {notify: {text: x}}}\n";
    steps += "  - {id: all, on_fail: ignore, each: {kind: [many]}, do: {agent.run: {action: x}}}\n";
    const auto parsed = parse_source(std::string(kHead) + "steps:\n" + steps, "s.yaml", names);
    ASSERT_TRUE(parsed.good()) << to_string(parsed.findings[0]);
    Player player(parsed.scenario, make_run(parsed.scenario, sample_request()));
    player.give(start());
    while (!player.waiting().empty()) {
        const auto effect = player.waiting().front();
        player.waiting().pop_front();
        player.give(Event::result_of(effect.op_id, Outcome::failed, std::string(5'000, '\n')));
    }
    EXPECT_EQ(player.run().state, RunState::succeeded_warn);
    EXPECT_LT(encode_run(player.run()).size(), 1024U * 1024U);
}

}  // namespace
}  // namespace twinsite::switchover::scenario
