// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/outbox.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::report {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class OutboxTest : public ::testing::Test {
protected:
    OutboxTest() {
        clocks_.monotonic = [this] { return now_; };
        clocks_.wall_ms = [] { return std::uint64_t{1'700'000'000'000}; };
        limits_.live = 2;
    }
    Outbox open(std::vector<std::string> servers = {"a:1", "b:2"}) const {
        return Outbox(limits_, std::move(servers), path_, clocks_);
    }

    tests::TemporaryFolder folder_;
    std::string path_ = folder_.file("spool.log");
    milliseconds now_{1'000'000};
    Clocks clocks_;
    spool::Limits limits_;
};

TEST_F(OutboxTest, AShortOutageTouchesNoDisk) {
    auto outbox = open();
    for (int count = 0; count < 2; ++count) outbox.add("{}");
    EXPECT_FALSE(std::filesystem::exists(path_));
    outbox.add("{}");
    EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(OutboxTest, WhatWaitsSurvivesAndWhatWasTakenDoesNotComeTwice) {
    {
        auto outbox = open();
        for (const char* text : {"{1}", "{2}", "{3}"}) outbox.add(text);
        outbox.acknowledge(0, 1);
        outbox.acknowledge(0, 3);
        outbox.save();
    }
    now_ += seconds(5);
    auto outbox = open();
    ASSERT_TRUE(outbox.next(0));
    EXPECT_EQ(outbox.next(0)->entry->text, "{2}");
    EXPECT_FALSE(outbox.next(0)->live);
    EXPECT_EQ(outbox.next(0)->entry->measured, now_ - seconds(5));
    EXPECT_EQ(outbox.backlog(0), 1U);
    EXPECT_EQ(outbox.backlog(1), 3U);
}

TEST_F(OutboxTest, WhenAllIsTakenTheFileGoes) {
    auto outbox = open();
    for (int count = 0; count < 5; ++count) outbox.add("{}");
    for (const std::size_t server : {0, 1})
        while (const auto next = outbox.next(server)) outbox.acknowledge(server, next->entry->id);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OutboxTest, AServerThatIsNoLongerConfiguredIsForgotten) {
    {
        auto outbox = open();
        outbox.add("{}");
        outbox.save();
    }
    auto outbox = open({"c:3"});
    EXPECT_FALSE(outbox.next(0));
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OutboxTest, ShortMemoryCostsTheBacklogAlsoOnDisk) {
    auto outbox = open();
    for (int count = 0; count < 5; ++count) outbox.add("{}");
    EXPECT_EQ(outbox.drop_backlog(), 8U);
    EXPECT_EQ(outbox.dropped(0), 4U);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OutboxTest, ADiskThatTakesNothingDoesNotStopTheReports) {
    path_ = folder_.file("no/such/folder/spool.log");
    auto outbox = open();
    for (int count = 0; count < 5; ++count) outbox.add("{}");
    outbox.save();
    ASSERT_TRUE(outbox.next(0));
    EXPECT_TRUE(outbox.next(0)->live);
    EXPECT_EQ(outbox.backlog(0), 4U);
}

}  // namespace
}  // namespace twinsite::monitor::report
