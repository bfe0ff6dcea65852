// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/executor.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/execute/fake_members.hpp"

namespace twinsite::switchover::execute {
namespace {

using namespace std::chrono_literals;
using Outcome = scenario::Event::Outcome;
using wire::contract::CommandState;
using Texts = std::vector<std::string>;

scenario::Effect set_east(const std::string& state) {
    return make_act("gslb.set", {{"site", "east"}, {"state", state}});
}

TEST(Executor, EveryMemberIsAskedAndToldAtTheStart) {
    World world;
    world.wanted = {{"gslb", "site:east", "out", "why", "r1", 1'800'000'000'000}};
    world.begin();
    ASSERT_TRUE(world.met());
    const auto& held = world.caller.members["gslb-west"].held;
    ASSERT_EQ(held.objects.size(), 1U);
    EXPECT_EQ(held.objects[0].object, "site:east");
    EXPECT_EQ(held.objects[0].since, "2027-01-15T08:00:00Z");
    EXPECT_EQ(held.server, "twinsite://arbiter/switchover/sw");
    EXPECT_EQ(held.fence, (wire::contract::Fence{1, 5}));
    EXPECT_TRUE(world.caller.members["slb-west"].held.objects.empty());
    const auto view = world.view("gslb-west");
    EXPECT_TRUE(view.reachable);
    EXPECT_TRUE(view.in_sync) << view.detail;
    ASSERT_EQ(view.sites.size(), 1U);
    EXPECT_EQ(view.sites[0].health, "down");
    EXPECT_TRUE(world.view("slb-west").ready);
    EXPECT_EQ(world.view("slb-west").clients, 7U);
}

TEST(Executor, ChangeIsTheSameForAllWhoCanBeReached) {
    World world;
    world.caller.members["gslb-east"].reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(set_east("out"));
    EXPECT_EQ(end.outcome, Outcome::ok);
    EXPECT_EQ(end.output, "told gslb-west; not reached: gslb-east (Connection refused)");
    ASSERT_EQ(world.wanted.size(), 1U);
    EXPECT_EQ(world.wanted[0].by, "r1-a-1");
    ASSERT_EQ(world.caller.members["gslb-west"].held.objects.size(), 1U);
    EXPECT_EQ(world.caller.members["gslb-west"].held.objects[0].state, "out");
}

TEST(Executor, MemberThatComesBackIsToldAtOnce) {
    World world;  // the next regular telling is in an hour
    world.caller.members["gslb-east"].reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    world.carry_out(set_east("out"));
    std::string why;
    EXPECT_FALSE(world.executor->members_in_sync("east", why));
    EXPECT_EQ(why, "gslb-east: Connection refused");
    auto& east = world.caller.members["gslb-east"];
    east.reachable = true;
    ASSERT_TRUE(world.until([&] { return east.held.objects.size() == 1; }));
    ASSERT_TRUE(world.until([&] { return world.executor->members_in_sync("east", why); }));
    // The same when it lost what it had been told.
    east.held = {};
    ASSERT_TRUE(world.until([&] { return east.held.objects.size() == 1; }));
}

TEST(Executor, WhatIsWantedIsToldAgainAndAgain) {
    World world;
    world.settings.tell_every = 40ms;
    world.begin();
    ASSERT_TRUE(world.until([&] { return world.caller.members["gslb-east"].puts >= 4; }));
    EXPECT_GE(world.caller.members["gslb-east"].gets, 4);
}

TEST(Executor, SlowMemberHoldsUpNoOther) {
    World world;
    world.caller.members["gslb-east"].delay = 1h;
    world.begin();
    ASSERT_TRUE(world.until([&] { return world.seen["gslb-west"] > 3; }));
    auto effect = set_east("out");
    effect.limit = 300ms;
    const auto end = world.carry_out(effect);
    EXPECT_EQ(end.outcome, Outcome::ok);
    EXPECT_EQ(end.output, "told gslb-west; not reached: gslb-east (no answer yet)");
}

TEST(Executor, NobodyReachedIsAFailureThatLeavesNothingBehind) {
    World world;
    for (auto& [name, member] : world.caller.members) member.reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(set_east("out"));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_TRUE(world.wanted.empty());
}

TEST(Executor, RefusedChangeIsTakenBack) {
    World world;
    world.wanted = {{"gslb", "site:west", "out", "before", "r0", 5}};
    world.begin();
    ASSERT_TRUE(world.met());
    world.caller.members["gslb-west"].refusal = "last site";
    const auto end = world.carry_out(set_east("out"));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_NE(end.output.find("refused by gslb-west (last site"), std::string::npos) << end.output;
    ASSERT_EQ(world.wanted.size(), 1U);
    EXPECT_EQ(world.wanted[0].object, "site:west");
    const auto& east = world.caller.members["gslb-east"].held;
    EXPECT_TRUE(world.until([&] { return east.objects.size() == 1; }));
}

TEST(Executor, ChangeRefusedAfterARestartIsTakenBackAsWell) {
    World world;  // as the crash left it: kept, but told to nobody yet
    const store::FormerWanted former{"drain", "before", "r0-a-1", 5};
    world.wanted = {{"gslb", "site:east", "out", "why", "r1-a-1", 6, former}};
    world.caller.members["gslb-west"].refusal = "last site";
    world.begin();
    ASSERT_TRUE(world.met());
    auto effect = set_east("out");
    effect.again = true;
    EXPECT_EQ(world.carry_out(effect).outcome, Outcome::failed);
    ASSERT_EQ(world.wanted.size(), 1U);
    EXPECT_EQ(world.wanted[0].state, "drain");
    EXPECT_EQ(world.wanted[0].by, "r0-a-1");
    EXPECT_EQ(world.wanted[0].since_wall_ms, 5);
}

TEST(Executor, RefusedChangeIsNotTakenBackFromWhoChangedItSince) {
    World world;
    world.begin();
    ASSERT_TRUE(world.met());
    for (const auto* name : {"gslb-east", "gslb-west"}) {
        world.caller.members[name].delay = 50ms;
        world.caller.members[name].refusal = "last site";
    }
    world.start(set_east("out"));
    ASSERT_TRUE(world.until([&] { return world.wanted.size() == 1; }));
    EXPECT_EQ(world.wanted[0].former->state, "in");
    world.wanted = {{"gslb", "site:east", "drain", "by hand", "li", 7}};
    ASSERT_TRUE(world.until([&] { return world.ended.contains("r1-a-1"); }));
    EXPECT_EQ(world.ended["r1-a-1"][0].outcome, Outcome::failed);
    ASSERT_EQ(world.wanted.size(), 1U);
    EXPECT_EQ(world.wanted[0].by, "li");
}

TEST(Executor, BrokenStoreTellsNobodyAnything) {
    World world;
    world.wanted = {{"gslb", "site:east", "out", "why", "r1", 5}};
    world.begin();
    ASSERT_TRUE(world.met());
    auto& west = world.caller.members["gslb-west"];
    world.store_broken = true;
    const int puts = west.puts;
    world.executor->wanted_changed();
    const int gets = west.gets;
    ASSERT_TRUE(world.until([&] { return west.gets > gets + 3; }));
    EXPECT_EQ(west.puts, puts);
    EXPECT_EQ(west.held.objects.size(), 1U);
    EXPECT_EQ(world.carry_out(set_east("in")).outcome, Outcome::failed);
}

TEST(Executor, WhoDoesNotLeadAsksButTellsNothing) {
    World world;
    world.fence.reset();
    world.wanted = {{"gslb", "site:east", "out", "why", "r1", 5}};
    world.begin();
    ASSERT_TRUE(world.until([&] { return world.seen["gslb-west"] > 3; }));
    EXPECT_EQ(world.caller.members["gslb-west"].puts, 0);
    EXPECT_TRUE(world.view("gslb-west").reachable);
    EXPECT_FALSE(world.view("gslb-west").in_sync);
}

TEST(Executor, HigherFenceMeansThatSomebodyElseLeads) {
    World world;
    world.caller.members["gslb-west"].held.fence = {1, 9};
    world.begin();
    ASSERT_TRUE(world.met());
    ASSERT_TRUE(world.until([&] { return world.outranked_by.contains("gslb-west"); }));
    EXPECT_EQ(world.outranked_by["gslb-west"], (wire::contract::Fence{1, 9}));
    EXPECT_FALSE(world.view("gslb-west").in_sync);
    EXPECT_TRUE(world.view("gslb-west").reachable);
}

TEST(Executor, BladesAreWantedOfTheirSitesBalancers) {
    World world;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(make_act("slb.drain", {{"site", "west"}, {"blade", "b1"}}));
    EXPECT_EQ(end.outcome, Outcome::ok) << end.output;
    ASSERT_EQ(world.wanted.size(), 1U);
    EXPECT_EQ(world.wanted[0].receiver, "slb/slb-west");
    EXPECT_EQ(world.caller.members["slb-west"].held.objects[0].object, "blade:b1");
    EXPECT_TRUE(world.caller.members["gslb-west"].held.objects.empty());
    const auto back =
        world.carry_out(make_act("slb.activate", {{"site", "west"}, {"blade", "b1"}}, "r1-a-2"));
    EXPECT_EQ(back.outcome, Outcome::ok);
    EXPECT_TRUE(world.wanted.empty());
    const auto none =
        world.carry_out(make_act("slb.drain", {{"site", "east"}, {"blade", "b1"}}, "r1-a-3"));
    EXPECT_EQ(none.outcome, Outcome::failed);  // no slb there
}

TEST(Executor, ReleaseGoesOnToItsEndAndShowsHowFarItIs) {
    World world;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(make_act("slb.release", {{"site", "west"}, {"rate", "5"}}));
    EXPECT_EQ(end.outcome, Outcome::ok);
    EXPECT_EQ(end.output, "7 of 7 clients released");
    EXPECT_EQ(world.progress, (Texts{"3 of 7 clients released", "6 of 7 clients released"}));
    // Asked again after a restart: the same operation, so nothing begins anew.
    world.ended.clear();
    EXPECT_EQ(
        world.carry_out(make_act("slb.release", {{"site", "west"}, {"rate", "5"}})).output,
        "7 of 7 clients released"
    );
    EXPECT_EQ(world.caller.members["slb-west"].releases, 1);
}

TEST(Executor, ReleaseThatIsCancelledIsStopped) {
    World world;
    world.caller.members["slb-west"].release_step = 0;
    world.begin();
    ASSERT_TRUE(world.met());
    auto effect = make_act("slb.release", {{"site", "west"}});
    world.start(effect);
    ASSERT_TRUE(world.until([&] { return !world.progress.empty(); }));
    effect.kind = scenario::Effect::Kind::cancel;
    world.start(effect);
    ASSERT_TRUE(world.until([&] { return world.caller.members["slb-west"].stops == 1; }));
    EXPECT_TRUE(world.ended.empty());
}

TEST(Executor, ReleaseThatStallsFailsAndIsStopped) {
    World world;
    world.caller.members["slb-west"].release_step = 0;
    world.begin();
    ASSERT_TRUE(world.met());
    auto effect = make_act("slb.release", {{"site", "west"}});
    effect.limit = 100ms;
    EXPECT_EQ(world.carry_out(effect).output, "not done in time: 0 of 7 clients released");
    EXPECT_EQ(world.caller.members["slb-west"].stops, 1);
    EXPECT_EQ(world.caller.members["slb-west"].release_state, "stopped");
}

TEST(Executor, ReleaseWaitsForASlbThatIsNotReachedAtFirst) {
    World world;
    world.settings.members.push_back(World::make("slb-west2", "west", MemberKind::slb));
    auto& second = world.caller.members["slb-west2"];
    second.reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    world.start(make_act("slb.release", {{"site", "west"}}));
    auto& first = world.caller.members["slb-west"];
    ASSERT_TRUE(world.until([&] { return first.release_state == "done"; }));
    EXPECT_TRUE(world.ended.empty());
    second.reachable = true;
    ASSERT_TRUE(world.until([&] { return world.ended.contains("r1-a-1"); }));
    EXPECT_EQ(world.ended["r1-a-1"][0].outcome, Outcome::ok);
    EXPECT_EQ(world.ended["r1-a-1"][0].output, "14 of 14 clients released");
}

TEST(Executor, ReleaseThatNobodyCouldBeginFailsWhenItsTimeIsOver) {
    World world;
    world.caller.members["slb-west"].reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    auto effect = make_act("slb.release", {{"site", "west"}});
    effect.limit = 100ms;
    const auto end = world.carry_out(effect);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.output, "not done in time: 0 of 0 clients released; slb-west: not reached");
    EXPECT_EQ(world.caller.members["slb-west"].stops, 0);
}

TEST(Executor, ReleaseThatWasStoppedFailsAtOnceAndEverywhere) {
    World world;
    world.settings.members.push_back(World::make("slb-west2", "west", MemberKind::slb));
    auto& first = world.caller.members["slb-west"];
    first.release_op = "r1-a-1";  // the try before, given up
    first.release_state = "stopped";
    auto& second = world.caller.members["slb-west2"];
    second.release_step = 0;
    world.begin();
    ASSERT_TRUE(world.met());
    auto effect = make_act("slb.release", {{"site", "west"}});
    effect.limit = 1h;
    const auto end = world.carry_out(effect);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.output, "0 of 14 clients released; slb-west: it was stopped");
    EXPECT_EQ(first.stops, 0);
    EXPECT_EQ(second.stops, 1);
    // The machine's next try is an operation of its own.
    effect.op_id = "r1-a-2";
    second.release_step = 3;
    EXPECT_EQ(world.carry_out(effect).outcome, Outcome::ok);
}

TEST(Executor, AgentsAnswerDecides) {
    struct Case {
        CommandState state;
        int rc;
        Outcome outcome;
        const char* output;
    };
    const Case cases[] = {
        {CommandState::done, 0, Outcome::ok, "said"},
        {CommandState::done, 3, Outcome::failed, "exit 3: said"},
        {CommandState::refused, 0, Outcome::failed, "said"},
        {CommandState::lost, 0, Outcome::unknown, "said"},
    };
    World world;
    world.begin();
    int number = 0;
    for (const auto& [state, rc, outcome, output] : cases) {
        const auto op_id = "r1-a-" + std::to_string(++number);
        auto effect = make_act("agent.run", {{"action", "x"}, {"to", "west"}}, op_id);
        effect.target = "west/if1";
        world.start(effect);
        ASSERT_TRUE(world.until([&] { return world.agents.waiting.contains(op_id); }));
        const auto& what = world.agents.waiting[op_id].what;
        EXPECT_EQ(what.host, "west/if1");
        EXPECT_EQ(what.action, "x");
        EXPECT_EQ(what.parameters, (std::map<std::string, std::string>{{"to", "west"}}));
        EXPECT_EQ(what.valid_for, 2'000ms);
        world.agents.say(op_id, CommandState::never_seen);
        world.agents.say(op_id, CommandState::accepted);
        world.agents.say(op_id, CommandState::running);
        world.agents.say(op_id, state, rc, "said");
        ASSERT_TRUE(world.until([&] { return world.ended.contains(op_id); }));
        EXPECT_EQ(world.ended[op_id][0].outcome, outcome);
        EXPECT_EQ(world.ended[op_id][0].output, output);
    }
    EXPECT_EQ(world.progress[1], "running");
}

TEST(Executor, SameOperationIsNotBegunTwice) {
    World world;
    world.begin();
    auto effect = make_act("agent.run", {{"action", "x"}, {"host", "west/if1"}});
    world.start(effect);
    world.start(effect);
    ASSERT_TRUE(world.until([&] { return world.agents.orders > 0; }));
    world.start(effect);
    world.agents.say("r1-a-1", CommandState::done);
    ASSERT_TRUE(world.until([&] { return world.ended.contains("r1-a-1"); }));
    EXPECT_EQ(world.agents.orders, 1);
    EXPECT_EQ(world.ended["r1-a-1"].size(), 1U);
}

TEST(Executor, CancelledOrderIsForgottenAndNotReported) {
    World world;
    world.begin();
    auto effect = make_act("agent.run", {{"action", "x"}, {"host", "west/if1"}});
    world.start(effect);
    ASSERT_TRUE(world.until([&] { return world.agents.orders > 0; }));
    effect.kind = scenario::Effect::Kind::cancel;
    world.start(effect);
    EXPECT_EQ(world.agents.forgotten, Texts{"r1-a-1"});
    world.agents.say("r1-a-1", CommandState::done);
    const int seen = world.seen["gslb-west"];
    ASSERT_TRUE(world.until([&] { return world.seen["gslb-west"] > seen + 2; }));
    EXPECT_TRUE(world.ended.empty());
    // It can be begun anew by the same id.
    effect.kind = scenario::Effect::Kind::act;
    world.start(effect);
    ASSERT_TRUE(world.until([&] { return world.agents.orders == 2; }));
}

TEST(Executor, NothingIsReportedFromInsideStart) {
    World world;
    world.begin();
    world.start(make_act("notify", {{"text", "hello"}}));
    EXPECT_TRUE(world.ended.empty());
    ASSERT_TRUE(world.until([&] { return world.ended.contains("r1-a-1"); }));
    EXPECT_EQ(world.notes, Texts{"hello"});
}

TEST(Executor, UnknownActionFails) {
    World world;
    world.begin();
    EXPECT_EQ(world.carry_out(make_act("db.promote", {})).outcome, Outcome::failed);
}

TEST(Executor, EndsWithoutReportsWhenDestroyedOrDropped) {
    World world;
    world.begin();
    world.start(make_act("agent.run", {{"action", "x"}, {"host", "west/if1"}}));
    world.start(make_check({"site.ok(west)"}, 5s));
    ASSERT_TRUE(world.until([&] { return world.agents.orders > 0; }));
    world.executor->drop_effects();
    const int seen = world.seen["gslb-west"];
    ASSERT_TRUE(world.until([&] { return world.seen["gslb-west"] > seen + 2; }));
    world.start(make_check({"site.ok(west)"}, 5s));
    bool stopped = false;
    boost::asio::co_spawn(
        world.io,
        world.executor->stop(),
        [&stopped](const std::exception_ptr& failure) { stopped = !failure; }
    );
    ASSERT_TRUE(world.until([&] { return stopped; }));
    world.executor.reset();
    EXPECT_TRUE(world.ended.empty());
}

}  // namespace
}  // namespace twinsite::switchover::execute
