// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/journal.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::action {
namespace {

using wire::contract::CommandState;

Journal::Record make(const std::string& op_id, CommandState state, std::uint64_t issued = 1) {
    Journal::Record out;
    out.content = "digest";
    out.fence = {1, 1};
    out.issued_wall_ms = issued;
    out.result.op_id = op_id;
    out.result.agent = "east/if1";
    out.result.state = state;
    return out;
}

class JournalTest : public ::testing::Test {
protected:
    Journal open() const { return Journal::open(path_).value(); }

    tests::TemporaryFolder folder_;
    std::string path_ = folder_.file("journal.log");
};

TEST_F(JournalTest, KeepsTheLastWordOverARestart) {
    {
        auto journal = open();
        ASSERT_TRUE(journal.put(make("a", CommandState::running)));
        auto done = make("a", CommandState::done);
        done.result.output = "two\nlines";
        done.result.rc = 3;
        ASSERT_TRUE(journal.put(done));
    }
    const auto journal = open();
    ASSERT_NE(journal.find("a"), nullptr);
    EXPECT_EQ(journal.find("a")->result.state, CommandState::done);
    EXPECT_EQ(journal.find("a")->result.output, "two\nlines");
    EXPECT_EQ(journal.find("a")->result.rc, 3);
    EXPECT_EQ(journal.lost(), 0U);
    EXPECT_EQ(journal.find("b"), nullptr);
}

TEST_F(JournalTest, WhatRanIsLostAfterARestartAndStaysSo) {
    ASSERT_TRUE(open().put(make("a", CommandState::running)));
    EXPECT_EQ(open().lost(), 1U);
    const auto again = open();
    EXPECT_EQ(again.lost(), 0U);
    EXPECT_EQ(again.find("a")->result.state, CommandState::lost);
}

TEST_F(JournalTest, ATornLastLineCostsThatLineOnly) {
    ASSERT_TRUE(open().put(make("a", CommandState::done)));
    std::ofstream(path_, std::ios::app) << "digest 1 1 1 {\"schema\":1,\"op_id\":\"b\"";
    const auto journal = open();
    EXPECT_EQ(journal.damaged(), 1U);
    EXPECT_NE(journal.find("a"), nullptr);
    EXPECT_EQ(journal.find("b"), nullptr);
    EXPECT_EQ(open().damaged(), 0U);
}

TEST_F(JournalTest, KeepsTheNewest500AndKnowsWhatItMayHaveForgotten) {
    auto journal = open();
    for (std::uint64_t count = 0; count < 510; ++count)
        ASSERT_TRUE(journal.put(make("op" + std::to_string(count), CommandState::refused, count)));
    EXPECT_EQ(journal.size(), Journal::kOperations);
    EXPECT_EQ(journal.find("op9"), nullptr);
    EXPECT_NE(journal.find("op10"), nullptr);
    const auto again = open();
    for (const auto* known : {&std::as_const(journal), &again}) {
        EXPECT_TRUE(known->may_have_forgotten({1, 1}, 9));
        EXPECT_FALSE(known->may_have_forgotten({1, 1}, 10));
        EXPECT_FALSE(known->may_have_forgotten({1, 2}, 0)) << "a later leader's are all new";
        EXPECT_TRUE(known->may_have_forgotten({0, 5}, 100)) << "an earlier leader's are all old";
    }
}

TEST_F(JournalTest, WhatRunsIsNotForgotten) {
    auto journal = open();
    ASSERT_TRUE(journal.put(make("long", CommandState::running)));
    for (int count = 0; count < 600; ++count)
        ASSERT_TRUE(journal.put(make("op" + std::to_string(count), CommandState::done)));
    EXPECT_NE(journal.find("long"), nullptr);
}

TEST_F(JournalTest, TheFileDoesNotGrowWithoutEnd) {
    auto journal = open();
    auto record = make("a", CommandState::done);
    record.result.output = std::string(64 * 1024, '\1');  // six bytes each in JSON
    for (int count = 0; count < 100; ++count) {
        record.result.op_id = "op" + std::to_string(count);
        ASSERT_TRUE(journal.put(record));
        ASSERT_LT(std::filesystem::file_size(path_), 25U * 1024 * 1024);
    }
    EXPECT_EQ(open().size(), 100U);
}

TEST_F(JournalTest, TheContentOfACommandIsWhatIsAskedOnly) {
    wire::contract::Command command;
    command.op_id = "op";
    command.agent = "east/if1";
    command.action = "count";
    command.params = {{"a", "1"}};
    const auto content = content_of(command);
    auto later = command;
    later.fence = {2, 3};
    later.issued_wall_ms = 99;
    later.server = "twinsite://west/switchover/other";
    EXPECT_EQ(content_of(later), content);
    later.params["a"] = "2";
    EXPECT_NE(content_of(later), content);
}

}  // namespace
}  // namespace twinsite::monitor::action
