// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/commands.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::contract::Command;
using wire::contract::CommandResult;
using wire::contract::CommandState;
using wire::contract::Identity;

const Identity kIf1{"east", "agent", "if1"};
const Identity kProc1{"east", "agent", "proc1"};
const Identity kMonitor{"east", "monitor", "mon-east"};
const Identity kFarMonitor{"west", "monitor", "mon-west"};

Command order(const std::string& op_id, const std::string& agent = "east/if1") {
    Command out;
    out.op_id = op_id;
    out.agent = agent;
    out.action = "module.restart";
    out.fence = {1, 7};
    out.valid_for_ms = 30'000;
    return out;
}

CommandResult result(
    const std::string& op_id, CommandState state, const std::string& agent = "east/if1"
) {
    CommandResult out;
    out.op_id = op_id;
    out.agent = agent;
    out.state = state;
    return out;
}

class CommandsTest : public ::testing::Test {
protected:
    CommandsTest()
        : commands_(
              {{{"east", "if1", "interface"},
                {"east", "proc1", "processing"},
                {"west", "if1", "interface"}},
               {{"east", "mon-east"}, {"west", "mon-west"}}},
              settings(),
              [this](const CommandResult& got) { results_.push_back(got); }
          ) {}

    CommandSettings settings() {
        CommandSettings out;
        out.server = "twinsite://arbiter/switchover/sw";
        out.certificate = "PEM";
        out.sign = [this](std::string_view bytes) {
            return key_works_ ? "signed:" + std::to_string(bytes.size()) : std::string();
        };
        out.pending_per_agent = 3;
        out.results_kept = 4;
        return out;
    }
    Time at(milliseconds after) const { return Time() + std::chrono::hours(1) + after; }

    /// What this poller gets at once; nullopt: it waits.
    std::optional<std::vector<Command>> poll(const Identity& who, milliseconds after) {
        auto answer = std::make_shared<std::optional<std::vector<Command>>>();
        commands_.poll(who, seconds(25), at(after), [answer](std::vector<Command> got) {
            *answer = std::move(got);
        });
        return *answer;
    }
    std::optional<std::vector<Command>> waiting(const Identity& who, milliseconds after) {
        commands_.poll(who, seconds(25), at(after), [this](std::vector<Command> got) {
            delivered_ = std::move(got);
        });
        return delivered_;
    }

    bool key_works_ = true;
    std::vector<CommandResult> results_;
    std::optional<std::vector<Command>> delivered_;
    Commands commands_;
};

TEST_F(CommandsTest, AnOrderIsSignedAndGivenToItsAgentAlone) {
    EXPECT_EQ(commands_.submit(order("r1-s1-1"), at(seconds(0))), Commands::Submitted::queued);
    EXPECT_FALSE(poll(kProc1, seconds(0)));
    EXPECT_FALSE(poll(kFarMonitor, seconds(0)));
    const auto got = poll(kIf1, milliseconds(1'500));
    ASSERT_TRUE(got);
    ASSERT_EQ(got->size(), 1U);
    const auto& command = got->front();
    EXPECT_EQ(command.op_id, "r1-s1-1");
    EXPECT_EQ(command.server, "twinsite://arbiter/switchover/sw");
    EXPECT_EQ(command.certificate, "PEM");
    EXPECT_EQ(command.age_ms, 1'500U);
    EXPECT_EQ(
        command.signature, "signed:" + std::to_string(wire::contract::signing_bytes(command).size())
    );
}

TEST_F(CommandsTest, WhoWaitsIsAnsweredAtOnce) {
    EXPECT_FALSE(waiting(kIf1, seconds(0)));
    EXPECT_EQ(commands_.polling(), 1U);
    commands_.submit(order("a"), at(seconds(1)));
    ASSERT_TRUE(delivered_);
    EXPECT_EQ(delivered_->front().op_id, "a");
    EXPECT_EQ(commands_.polling(), 0U);
}

TEST_F(CommandsTest, TheMonitorOfTheSiteRelays) {
    EXPECT_FALSE(waiting(kMonitor, seconds(0)));
    commands_.submit(order("a"), at(seconds(1)));
    ASSERT_TRUE(delivered_);
    commands_.submit(order("b", "east/proc1"), at(seconds(1)));
    commands_.submit(order("c", "west/if1"), at(seconds(1)));
    const auto more = poll(kMonitor, seconds(1));
    ASSERT_TRUE(more);
    ASSERT_EQ(more->size(), 1U);
    EXPECT_EQ(more->front().op_id, "b");
}

TEST_F(CommandsTest, AnOrderIsSentAgainUntilItsResultIsHere) {
    commands_.submit(order("a"), at(seconds(0)));
    ASSERT_TRUE(poll(kIf1, seconds(0)));
    EXPECT_FALSE(poll(kIf1, milliseconds(500))) << "not in a tight loop";
    EXPECT_TRUE(poll(kMonitor, milliseconds(500))) << "the other way is another matter";
    EXPECT_FALSE(waiting(kIf1, milliseconds(900)));
    commands_.tick(at(milliseconds(1'100)));
    ASSERT_TRUE(delivered_);
    EXPECT_EQ(delivered_->front().op_id, "a");
    commands_.take_results(kIf1, {result("a", CommandState::running)});
    EXPECT_TRUE(poll(kIf1, seconds(4))) << "running is not the end";
    commands_.take_results(kIf1, {result("a", CommandState::done)});
    EXPECT_FALSE(poll(kIf1, seconds(9)));
    ASSERT_EQ(results_.size(), 2U);
    EXPECT_EQ(results_[1].state, CommandState::done);
    EXPECT_EQ(commands_.pending(), 0U);
}

TEST_F(CommandsTest, AWaitEndsEmpty) {
    EXPECT_FALSE(waiting(kIf1, seconds(0)));
    commands_.tick(at(seconds(24)));
    EXPECT_FALSE(delivered_);
    commands_.tick(at(seconds(25)));
    ASSERT_TRUE(delivered_);
    EXPECT_TRUE(delivered_->empty());
}

TEST_F(CommandsTest, TheNewestPollOfAnAgentCounts) {
    EXPECT_FALSE(waiting(kIf1, seconds(0)));
    EXPECT_FALSE(poll(kIf1, seconds(1)));
    ASSERT_TRUE(delivered_) << "the first one is let go";
    EXPECT_TRUE(delivered_->empty());
    EXPECT_EQ(commands_.polling(), 1U);
}

TEST_F(CommandsTest, APollThatIsGoneGetsNothing) {
    const auto id = commands_.poll(kIf1, seconds(25), at(seconds(0)), [this](auto got) {
        delivered_ = std::move(got);
    });
    commands_.leave(id);
    commands_.submit(order("a"), at(seconds(1)));
    EXPECT_FALSE(delivered_);
    EXPECT_TRUE(poll(kIf1, seconds(1))) << "nothing was lost with it";
}

TEST_F(CommandsTest, NobodyAnswersForAnotherAgent) {
    commands_.submit(order("a"), at(seconds(0)));
    commands_.take_results(kProc1, {result("a", CommandState::done)});
    commands_.take_results(kFarMonitor, {result("a", CommandState::done)});
    commands_.take_results(kProc1, {result("a", CommandState::done, "east/proc1")});
    EXPECT_TRUE(results_.empty());
    EXPECT_EQ(commands_.counters().foreign_results, 2U);
    EXPECT_EQ(commands_.counters().unknown_results, 1U);
    commands_.take_results(kMonitor, {result("a", CommandState::done)});
    EXPECT_EQ(results_.size(), 1U);
}

TEST_F(CommandsTest, ARepeatedOrderThatIsDoneIsAnsweredFromMemory) {
    commands_.submit(order("a"), at(seconds(0)));
    commands_.take_results(kIf1, {result("a", CommandState::done)});
    EXPECT_EQ(commands_.submit(order("a"), at(seconds(1))), Commands::Submitted::known);
    EXPECT_EQ(results_.size(), 2U);
    EXPECT_EQ(commands_.pending(), 0U);
}

TEST_F(CommandsTest, ARefusedOrderMayBeGivenAgain) {
    commands_.submit(order("a"), at(seconds(0)));
    commands_.take_results(kIf1, {result("a", CommandState::refused)});
    auto again = order("a");
    again.fence = {1, 9};
    EXPECT_EQ(commands_.submit(again, at(seconds(1))), Commands::Submitted::queued);
    EXPECT_EQ(poll(kIf1, seconds(1))->front().fence.revision, 9U);
}

TEST_F(CommandsTest, ARepeatedOrderCarriesTheNewFence) {
    commands_.submit(order("a"), at(seconds(0)));
    ASSERT_TRUE(poll(kIf1, seconds(0)));
    auto again = order("a");
    again.fence = {1, 9};
    EXPECT_EQ(commands_.submit(again, at(milliseconds(10))), Commands::Submitted::queued);
    const auto got = poll(kIf1, milliseconds(20));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->front().fence.revision, 9U);
    EXPECT_EQ(commands_.pending(), 1U);
}

TEST_F(CommandsTest, WhatIsTooOldIsNotSentAndThenForgotten) {
    commands_.submit(order("a"), at(seconds(0)));
    EXPECT_FALSE(poll(kIf1, seconds(31)));
    commands_.tick(at(seconds(89)));
    commands_.take_results(kIf1, {result("a", CommandState::running)});
    EXPECT_EQ(results_.size(), 1U) << "an agent at work is still heard";
    commands_.tick(at(seconds(91)));
    EXPECT_EQ(commands_.pending(), 0U);
    EXPECT_EQ(commands_.counters().expired, 1U);
}

TEST_F(CommandsTest, AForgottenOrderIsNeitherSentNorHeard) {
    commands_.submit(order("a"), at(seconds(0)));
    commands_.forget("a");
    EXPECT_FALSE(poll(kIf1, seconds(0)));
    commands_.take_results(kIf1, {result("a", CommandState::done)});
    EXPECT_TRUE(results_.empty());
}

TEST_F(CommandsTest, BoundsHold) {
    EXPECT_EQ(
        commands_.submit(order("x", "east/nobody"), at(seconds(0))),
        Commands::Submitted::unknown_agent
    );
    for (const auto* id : {"a", "b", "c"})
        EXPECT_EQ(commands_.submit(order(id), at(seconds(0))), Commands::Submitted::queued);
    EXPECT_EQ(commands_.submit(order("d"), at(seconds(0))), Commands::Submitted::full);
    EXPECT_EQ(commands_.submit(order("a"), at(seconds(0))), Commands::Submitted::queued);
    key_works_ = false;
    EXPECT_EQ(
        commands_.submit(order("e", "west/if1"), at(seconds(0))), Commands::Submitted::not_signed
    );
    EXPECT_EQ(commands_.pending(), 3U);
}

TEST_F(CommandsTest, OnlySoManyResultsAreKept) {
    for (int i = 0; i < 6; ++i) {
        const auto id = "op" + std::to_string(i);
        commands_.submit(order(id), at(seconds(0)));
        commands_.take_results(kIf1, {result(id, CommandState::done)});
    }
    EXPECT_EQ(commands_.submit(order("op5"), at(seconds(0))), Commands::Submitted::known);
    EXPECT_EQ(commands_.submit(order("op0"), at(seconds(0))), Commands::Submitted::queued);
}

}  // namespace
}  // namespace twinsite::switchover::fleet
