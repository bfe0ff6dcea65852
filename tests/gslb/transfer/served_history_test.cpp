// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/served_history.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/gslb/transfer/zones.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::transfer {
namespace {

class ServedHistoryTest : public testing::Test {
protected:
    bool take(
        ServedHistory& history, std::uint32_t serial, std::string_view records, std::size_t most
    ) {
        ZoneSettings zone;
        zone.origin = wire::dns::parse_name("t.example").value();
        zone.served = shared_zone(serial, records);
        zone.journal_bytes = most;
        return history.take(folder_.path(), zone, journal_);
    }
    bool take(ServedHistory& history, std::uint32_t serial, std::string_view records = "") {
        return take(history, serial, records, 100'000);
    }

    tests::TemporaryFolder folder_;
    Journal journal_;
};

TEST_F(ServedHistoryTest, MakesADifferenceOfEachNewSerial) {
    ServedHistory history;
    EXPECT_TRUE(take(history, 1)) << "told once after the start";
    EXPECT_TRUE(journal_.empty());
    EXPECT_FALSE(take(history, 1)) << "nothing has changed";
    EXPECT_TRUE(take(history, 2, "a.t.example. 60 A 192.0.2.7\n"));
    EXPECT_TRUE(take(history, 4, "b.t.example. 60 A 192.0.2.7\n"));
    ASSERT_EQ(journal_.size(), 2U);
    EXPECT_EQ(journal_[0]->from, 1U);
    EXPECT_EQ(journal_[1]->to, 4U);
}

TEST_F(ServedHistoryTest, GoesOnAfterARestart) {
    {
        ServedHistory history;
        take(history, 1);
        take(history, 2, "a.t.example. 60 A 192.0.2.7\n");
    }
    ServedHistory again;
    EXPECT_TRUE(take(again, 3, "b.t.example. 60 A 192.0.2.7\n"));
    ASSERT_EQ(journal_.size(), 2U);
    EXPECT_EQ(journal_[0]->from, 1U);
    EXPECT_EQ(journal_[1]->to, 3U);
}

TEST_F(ServedHistoryTest, AnOldFileAfterARestartEndsTheJournal) {
    {
        ServedHistory history;
        take(history, 5);
        take(history, 6, "a.t.example. 60 A 192.0.2.7\n");
    }
    ServedHistory again;
    take(again, 2);
    EXPECT_TRUE(journal_.empty()) << "a difference from 6 to 2 would be none";
}

TEST_F(ServedHistoryTest, AChangeWithoutANewSerialEndsTheJournal) {
    ServedHistory history;
    take(history, 1);
    take(history, 2, "a.t.example. 60 A 192.0.2.7\n");
    EXPECT_FALSE(take(history, 2, "b.t.example. 60 A 192.0.2.7\n"));
    EXPECT_TRUE(journal_.empty());
}

TEST_F(ServedHistoryTest, KeepsNoMoreThanItMay) {
    ServedHistory history;
    for (std::uint32_t serial = 1; serial < 50; ++serial)
        take(history, serial, "a.t.example. 60 A 192.0.2." + std::to_string(serial) + "\n", 1000);
    ASSERT_FALSE(journal_.empty());
    EXPECT_LT(journal_.size(), 10U);
    EXPECT_EQ(journal_.back()->to, 49U);
    ServedHistory none;
    take(none, 60, "", 0);
    take(none, 61, "", 0);
    EXPECT_TRUE(journal_.empty());
}

TEST_F(ServedHistoryTest, DamagedFilesAreLeftOut) {
    {
        ServedHistory history;
        take(history, 1);
        take(history, 2, "a.t.example. 60 A 192.0.2.7\n");
    }
    std::ofstream(folder_.file("zones/t.example.journal")) << "no journal";
    ServedHistory again;
    EXPECT_TRUE(take(again, 3));
    ASSERT_EQ(journal_.size(), 1U);
    EXPECT_EQ(journal_[0]->from, 2U);
    std::ofstream(folder_.file("zones/t.example.served")) << "no zone";
    ServedHistory third;
    EXPECT_TRUE(take(third, 4));
    EXPECT_TRUE(journal_.empty());
}

}  // namespace
}  // namespace twinsite::gslb::transfer
