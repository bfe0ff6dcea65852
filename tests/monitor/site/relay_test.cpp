// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/relay.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::monitor::site {
namespace {

using std::chrono::seconds;
using wire::contract::Command;
using wire::contract::CommandResult;
using wire::contract::CommandState;
using Agents = std::set<std::string>;
using ServerSet = std::set<std::size_t>;

Command make(const std::string& op_id, const std::string& agent = "east/if1") {
    Command out;
    out.op_id = op_id;
    out.agent = agent;
    out.fence = {1, 1};
    out.age_ms = 100;
    out.valid_for_ms = 10'000;
    return out;
}
CommandResult result(const std::string& op_id, CommandState state) {
    CommandResult out;
    out.op_id = op_id;
    out.agent = "east/if1";
    out.state = state;
    return out;
}

TEST(Relay, HandsACommandOutUntilItIsAnswered) {
    Relay relay;
    EXPECT_EQ(relay.add(0, {make("a")}, seconds(1)), Agents{"east/if1"});
    for (int turn = 0; turn < 2; ++turn) {
        const auto due = relay.due("east/if1", seconds(3));
        ASSERT_EQ(due.size(), 1U);
        EXPECT_EQ(due[0].age_ms, 2'100U);
    }
    EXPECT_TRUE(relay.due("east/if", seconds(3)).empty());
    EXPECT_TRUE(relay.due("east/if2", seconds(3)).empty());
    EXPECT_EQ(relay.answered(result("a", CommandState::done), seconds(3)), ServerSet{0});
    EXPECT_TRUE(relay.due("east/if1", seconds(3)).empty());
    EXPECT_EQ(relay.size(), 0U);
}

TEST(Relay, WhatRunsIsAskedForAgainLater) {
    Relay relay;
    relay.add(0, {make("a")}, seconds(1));
    relay.answered(result("a", CommandState::running), seconds(1));
    EXPECT_TRUE(relay.due("east/if1", seconds(5)).empty());
    EXPECT_EQ(relay.due("east/if1", seconds(6)).size(), 1U);
}

TEST(Relay, AllServersThatAskedLearnTheResult) {
    Relay relay;
    relay.add(0, {make("a")}, seconds(1));
    EXPECT_EQ(relay.add(2, {make("a")}, seconds(1)), Agents{}) << "nothing new for the agent";
    EXPECT_EQ(relay.answered(result("a", CommandState::running), seconds(1)), (ServerSet{0, 2}));
    EXPECT_EQ(relay.answered(result("a", CommandState::done), seconds(1)), (ServerSet{0, 2}));
    EXPECT_EQ(relay.answered(result("a", CommandState::done), seconds(1)), ServerSet{});
}

TEST(Relay, ANewLeadersCommandReplacesTheOldOne) {
    Relay relay;
    relay.add(0, {make("a")}, seconds(1));
    relay.answered(result("a", CommandState::running), seconds(1));
    auto newer = make("a");
    newer.fence = {1, 2};
    EXPECT_EQ(relay.add(1, {newer}, seconds(2)), Agents{"east/if1"});
    const auto due = relay.due("east/if1", seconds(2));
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].fence.revision, 2U);
    EXPECT_EQ(due[0].age_ms, 100U);
}

TEST(Relay, KeepsWhatRanOutForTheAgentToSaySoThenForgetsIt) {
    Relay relay;
    relay.add(0, {make("a")}, seconds(0));
    relay.trim(seconds(60));
    EXPECT_EQ(relay.due("east/if1", seconds(60)).size(), 1U);
    relay.trim(seconds(71));
    EXPECT_EQ(relay.size(), 0U);
}

}  // namespace
}  // namespace twinsite::monitor::site
