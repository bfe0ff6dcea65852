// SPDX-License-Identifier: Apache-2.0
#include "tools/load/pending_table.hpp"

#include <set>

#include <gtest/gtest.h>

namespace twinsite::tools::load {
namespace {

using namespace std::chrono_literals;
using Match = PendingTable::Match;
using Time = PendingTable::Time;

std::uint32_t sent(PendingTable& table, Time due, std::uint32_t end_to_end, std::uint32_t session) {
    const auto id = table.add(due, end_to_end, session).value();
    table.at(id).state = PendingTable::State::sent;
    return id;
}

TEST(PendingTable, FindsARequestByBothIds) {
    PendingTable table;
    const auto id = sent(table, Time(1s), 7, 3);
    EXPECT_EQ(table.match(id, 7), Match::waiting);
    EXPECT_EQ(table.match(id, 8), Match::unknown);
    EXPECT_EQ(table.match(id + 0x10000, 7), Match::unknown) << "another generation";
    EXPECT_EQ(table.match(id + 1, 7), Match::unknown) << "a place never used";
    EXPECT_EQ(table.at(id).session, 3U);
}

TEST(PendingTable, DoesNotExpectTheAnswerOfWhatWasNotSent) {
    PendingTable table;
    const auto id = table.add(Time(1s), 7, 3).value();
    EXPECT_EQ(table.match(id, 7), Match::unknown);
    EXPECT_EQ(table.waiting(), 1U);
}

TEST(PendingTable, TellsDuplicateFromLate) {
    PendingTable table;
    const auto answered = sent(table, Time(1s), 1, 0);
    const auto slow = sent(table, Time(2s), 2, 1);
    table.answered(answered);
    EXPECT_EQ(table.match(answered, 1), Match::duplicate);
    std::vector<std::uint32_t> lost;
    table.expire(Time(2s), [&lost](std::uint32_t session) { lost.push_back(session); });
    EXPECT_EQ(lost, std::vector<std::uint32_t>{1});
    EXPECT_EQ(table.match(slow, 2), Match::late);
    EXPECT_EQ(table.waiting(), 0U);
}

TEST(PendingTable, GivesUpOnlyWhatIsOldEnough) {
    PendingTable table;
    for (int i = 1; i <= 10; ++i)
        sent(table, Time(std::chrono::seconds(i)), 0, static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> lost;
    table.expire(Time(4s), [&lost](std::uint32_t session) { lost.push_back(session); });
    EXPECT_EQ(lost, (std::vector<std::uint32_t>{1, 2, 3, 4}));
    EXPECT_EQ(table.waiting(), 6U);
}

TEST(PendingTable, VisitsWaitingRequestsInTheirOrder) {
    PendingTable table;
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < 5; ++i) ids.push_back(sent(table, Time(1s), i, i));
    table.answered(ids[1]);
    table.answered(ids[3]);
    std::vector<std::uint32_t> seen;
    table.each_waiting([&seen](std::uint32_t, PendingTable::Request& request) {
        seen.push_back(request.session);
    });
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 2, 4}));
}

TEST(PendingTable, NeverGivesOneIdToTwoOfTheLastRequests) {
    PendingTable table;
    std::set<std::uint32_t> live;
    std::uint32_t previous = 0;
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        const auto id = sent(table, Time(1s), i, 0);
        EXPECT_NE(id, previous);
        if (i > 0) {
            ASSERT_EQ(table.match(previous, i - 1), Match::duplicate);
        }
        table.answered(id);
        previous = id;
    }
    EXPECT_EQ(table.waiting(), 0U);
}

TEST(PendingTable, HoldsSixtyFiveThousandAndNotOneMore) {
    PendingTable table;
    for (std::size_t i = 0; i < PendingTable::kMaxPending; ++i)
        ASSERT_TRUE(table.add(Time(1s), static_cast<std::uint32_t>(i), 0));
    EXPECT_FALSE(table.add(Time(1s), 0, 0));
    table.expire(Time(1s), [](std::uint32_t) {});
    EXPECT_TRUE(table.add(Time(2s), 0, 0));
}

}  // namespace
}  // namespace twinsite::tools::load
