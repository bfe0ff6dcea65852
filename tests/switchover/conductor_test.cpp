// SPDX-License-Identifier: Apache-2.0
// When a scenario starts, and what stands in the way.
#include "switchover/conductor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;
using scenario::RunState;

const api::Actor kLi{"li", "127.0.0.1"};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<std::string> blocking(const Assessment& assessment) {
    std::vector<std::string> out;
    for (const auto* gate : Assessor::against_auto(assessment)) out.push_back(gate->code);
    return out;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

api::RunRequest request_for(const std::string& scenario) {
    api::RunRequest out;
    out.scenario = scenario;
    out.reason = "test";
    return out;
}

void lose_east(Town& town) {
    town.pass(10s);
    town.east = false;
    town.users = false;
}

TEST(Conductor, ALostSiteIsPinnedOutOnceAndByItself) {
    Town town;
    lose_east(town);
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.users = true;
    ASSERT_TRUE(town.pass_until([&] { return ended(town.stored_runs()[0].state); }, 20s));
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::succeeded) << run.output;
    EXPECT_EQ(run.mode, "auto");
    EXPECT_EQ(run.id, "r01-000001");
    EXPECT_TRUE(town.is_wanted_out("east"));
    town.pass(120s);
    EXPECT_EQ(town.begun(), 1U);
    EXPECT_EQ(town.assessment("east-down").verdict, VerdictWord::idle);
    EXPECT_TRUE(contains(blocking(town.assessment("east-down")), model::gate::kAlreadySo));
    EXPECT_EQ(town.audited("run.begin"), 1U);
    EXPECT_EQ(town.audited("wanted.out"), 1U);
    EXPECT_EQ(town.audited("run.succeeded"), 1U);
    EXPECT_FALSE(town.store().verify_audit()->first_bad);
}

TEST(Conductor, ASiteThatComesBackStaysOutUntilSomebodyDecides) {
    Town town;
    lose_east(town);
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.users = true;
    town.pass(15s);
    town.east = true;
    town.pass(60s);
    EXPECT_TRUE(town.is_wanted_out("east"));
    EXPECT_EQ(town.begun(), 1U);
    const auto back = town.conductor().start_run(kLi, request_for("failback-east"));
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(back))
        << std::get<api::Refusal>(back).rule << " " << std::get<api::Refusal>(back).text;
    town.pass(5s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded);
    EXPECT_FALSE(town.is_wanted_out("east"));
    town.pass(60s);
    EXPECT_EQ(town.begun(), 2U);
}

TEST(Conductor, InSemiItIsOfferedAndAPersonStartsIt) {
    Town town({replaced(Town::kEastDown, "mode: auto", "mode: semi"), Town::kFailback});
    lose_east(town);
    town.pass(20s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_EQ(town.assessment("east-down").verdict, VerdictWord::offered);
    town.users = true;
    const auto begun = town.conductor().start_run(kLi, request_for("east-down"));
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(begun));
    town.pass(10s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::succeeded) << run.output;
    EXPECT_EQ(run.by, "li");
    // What the person took counts as human wait: from the firing to the click.
    EXPECT_GT(run.human_wait_ms, 5'000);
    EXPECT_EQ(run.human_wait_ms, *run.marks[2] - *run.marks[1]);
}

TEST(Conductor, APersonMustNameTheRuleWhenTheTriggerDoesNotHold) {
    Town town;
    town.pass(10s);
    auto request = request_for("east-down");
    auto refused = town.conductor().start_run(kLi, request);
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    EXPECT_EQ(std::get<api::Refusal>(refused).status, 409U);
    EXPECT_EQ(std::get<api::Refusal>(refused).rule, "trigger");
    EXPECT_FALSE(std::get<api::Refusal>(refused).gates.empty());
    request.overrides = {{"trigger", "planned work"}};
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(town.conductor().start_run(kLi, request)));
    town.pass(10s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::succeeded_warn) << run.output;  // the override is a warning
    EXPECT_FALSE(run.marks[0]);                                    // nobody was without service
}

TEST(Conductor, TheSameRequestTwiceIsOneRun) {
    Town town;
    town.pass(10s);
    auto request = request_for("east-down");
    request.overrides = {{"trigger", "planned work"}};
    request.idempotency_key = "li/key-1";
    request.digest = "d1";
    const auto first = town.conductor().start_run(kLi, request);
    const auto second = town.conductor().start_run(kLi, request);
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(second));
    EXPECT_EQ(std::get<scenario::Run>(first).id, std::get<scenario::Run>(second).id);
    town.pass(15s);
    town.restart();
    const auto third = town.conductor().start_run(kLi, request);
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(third));
    EXPECT_EQ(std::get<scenario::Run>(third).id, std::get<scenario::Run>(first).id);
    EXPECT_EQ(town.begun(), 1U);
    request.digest = "d2";
    const auto other = town.conductor().start_run(kLi, request);
    EXPECT_EQ(std::get<api::Refusal>(other).status, 422U);
}

TEST(Conductor, ItsOwnLinkCutMakesItBlindAndNothingStarts) {  // M-T3
    Town town;
    town.pass(10s);
    town.link = false;
    town.pass(60s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_TRUE(town.conductor().judge().verdicts().blind.is);
    EXPECT_TRUE(contains(blocking(town.assessment("east-down")), model::gate::kBlind));
    town.link = true;
    town.pass(60s);
    EXPECT_FALSE(town.conductor().judge().verdicts().blind.is);
    EXPECT_EQ(town.begun(), 0U);  // and no burst
}

TEST(Conductor, ALossDuringBlindnessCountsFromItsEnd) {
    Town town;
    town.pass(10s);
    town.link = false;
    town.pass(30s);
    town.east = false;
    town.pass(30s);
    town.link = true;
    town.pass(2s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 1; }, 15s));
}

TEST(Conductor, ACutBetweenTheSitesIsNoLoss) {  // M-T4
    Town town;
    town.pass(10s);
    town.east_sees_west = false;
    town.pass(60s);
    EXPECT_EQ(town.begun(), 0U);
    const auto refused = town.conductor().start_run(kLi, request_for("east-down"));
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    const auto& gates = std::get<api::Refusal>(refused).gates;
    EXPECT_TRUE(std::any_of(gates.begin(), gates.end(), [](const api::GateView& gate) {
        return gate.code == model::gate::kTrigger && !gate.ok;
    }));
}

TEST(Conductor, APauseHoldsEverythingAndEndsByItself) {
    Town town;
    town.pass(10s);
    ASSERT_TRUE(std::holds_alternative<api::Done>(
        town.conductor().pause(kLi, "works", town.wall() + 40'000)
    ));
    town.east = false;
    town.pass(30s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_EQ(town.assessment("east-down").verdict, VerdictWord::held);
    EXPECT_EQ(blocking(town.assessment("east-down")), std::vector<std::string>{"pause"});
    town.restart();  // it outlives a restart
    town.pass(5s);
    EXPECT_TRUE(town.conductor().paused());
    town.pass(30s);
    EXPECT_FALSE(town.conductor().paused());
    EXPECT_EQ(town.begun(), 1U);
    EXPECT_EQ(town.audited("pause.end"), 1U);
}

TEST(Conductor, APauseStopsARunAtItsNextStep) {
    Town town;
    lose_east(town);
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    ASSERT_TRUE(town.pass_until([&] { return !town.pending.empty(); }, 5s));
    town.answer_effects();  // the requirement
    town.pass(500ms);
    ASSERT_EQ(town.stored_runs()[0].state, RunState::running);
    ASSERT_TRUE(std::holds_alternative<api::Done>(town.conductor().pause(kLi, "wait", std::nullopt))
    );
    town.hold_effects = false;
    town.pass(20s);
    const auto run = town.stored_runs()[0];
    EXPECT_EQ(run.state, RunState::paused_operator);
    EXPECT_EQ(run.steps[0].state, scenario::StepState::ok);
    EXPECT_EQ(run.steps[1].state, scenario::StepState::pending);
    api::RunOrder resume;
    resume.run = run.id;
    resume.verb = api::RunVerb::resume;
    EXPECT_TRUE(std::holds_alternative<api::Refusal>(town.conductor().order_run(kLi, resume)));
    ASSERT_TRUE(std::holds_alternative<api::Done>(town.conductor().unpause(kLi)));
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(town.conductor().order_run(kLi, resume)));
    town.users = true;
    town.pass(15s);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::succeeded);
}

TEST(Conductor, ModesOfOperatorsStandAboveTheFileAndOutliveARestart) {
    Town town;
    town.pass(10s);
    ASSERT_TRUE(std::holds_alternative<api::Done>(
        town.conductor().set_mode(kLi, "east-down", "off", "tests")
    ));
    town.restart();
    town.pass(10s);
    town.east = false;
    town.pass(30s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_EQ(town.assessment("east-down").mode, scenario::Mode::off);
    EXPECT_EQ(
        std::get<api::Refusal>(town.conductor().start_run(kLi, request_for("east-down"))).rule,
        "mode"
    );
    EXPECT_EQ(
        std::get<api::Refusal>(town.conductor().set_mode(kLi, "none", "off", "")).status, 404U
    );
    EXPECT_EQ(
        std::get<api::Refusal>(town.conductor().set_mode(kLi, "east-down", "maybe", "")).status,
        422U
    );
}

TEST(Conductor, TheLastSiteIsNotTakenOut) {
    auto west_down = replaced(Town::kEastDown, "scenario: east-down", "scenario: west-down");
    west_down = replaced(west_down, "site: east", "site: west");
    west_down = replaced(west_down, "[site.down(east)]", "[site.down(west)]");
    west_down = replaced(west_down, "require: [site.ok(west)]", "require: [site.ok(east)]");
    Town town({Town::kEastDown, Town::kFailback, west_down});
    lose_east(town);
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.users = true;
    town.pass(15s);
    ASSERT_TRUE(town.is_wanted_out("east"));
    auto request = request_for("west-down");
    for (const auto* rule : {"trigger", "require", "blind", "both-sites-bad", "last-site"})
        request.overrides.push_back({rule, "x"});
    const auto refused = town.conductor().start_run(kLi, request);
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    EXPECT_EQ(std::get<api::Refusal>(refused).rule, "last-site");
}

TEST(Conductor, AnotherRunHoldsTheLock) {
    Town town;
    lose_east(town);
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    town.pass(500ms);
    auto request = request_for("failback-east");
    request.overrides = {{"trigger", "x"}, {"require", "x"}, {"already-so", "x"}, {"lock", "x"}};
    const auto refused = town.conductor().start_run(kLi, request);
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    EXPECT_EQ(std::get<api::Refusal>(refused).rule, "lock");
}

TEST(Conductor, AScenarioThatIsTooSlowForItsTargetIsOnlyOffered) {
    Town town({replaced(Town::kEastDown, "rto_target: 60s", "rto_target: 5s"), Town::kFailback});
    lose_east(town);
    town.pass(20s);
    EXPECT_EQ(town.begun(), 0U);
    EXPECT_EQ(town.assessment("east-down").effective, scenario::Mode::semi);
    EXPECT_EQ(town.assessment("east-down").verdict, VerdictWord::offered);
    EXPECT_TRUE(contains(blocking(town.assessment("east-down")), model::gate::kLint));
}

TEST(Conductor, AnAbortedRunIsNotBegunAgainByTheSameFiring) {
    Town town;
    lose_east(town);
    town.hold_effects = true;
    ASSERT_TRUE(town.pass_until([&] { return town.begun() > 0; }, 15s));
    api::RunOrder abort;
    abort.run = town.stored_runs()[0].id;
    abort.verb = api::RunVerb::abort;
    abort.reason = "not now";
    ASSERT_TRUE(std::holds_alternative<scenario::Run>(town.conductor().order_run(kLi, abort)));
    town.hold_effects = false;
    town.pass(120s);
    EXPECT_EQ(town.begun(), 1U);
    EXPECT_EQ(town.stored_runs()[0].state, RunState::cancelled);
    town.link = false;  // blindness in between makes no new incident of it
    town.pass(30s);
    town.link = true;
    town.pass(30s);
    EXPECT_EQ(town.begun(), 1U);
    town.restart();  // nor does a restart
    town.pass(60s);
    EXPECT_EQ(town.begun(), 1U);
    EXPECT_TRUE(contains(blocking(town.assessment("east-down")), "cool-down"));
    const auto again = town.conductor().order_run(kLi, abort);
    EXPECT_EQ(std::get<api::Refusal>(again).status, 409U);
    town.east = true;
    town.pass(20s);
    town.east = false;  // the next one is another
    EXPECT_TRUE(town.pass_until([&] { return town.begun() == 2; }, 15s));
}

}  // namespace
}  // namespace twinsite::switchover
