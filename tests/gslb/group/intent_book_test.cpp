// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/intent_book.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::group {
namespace {

using wire::group::IntentHeader;

const std::string kContent(64, 'c');

/// A member with its book, who publishes for itself.
struct Node {
    std::string name;
    IntentBook book;

    /// The header of what it publishes next; it is in force here at once.
    IntentHeader publish(bool take_over = false) {
        auto header = std::get<IntentHeader>(book.next(name, take_over));
        header.content = kContent;
        header.reason =
            name + " " + std::to_string(header.epoch) + "." + std::to_string(header.seq);
        book.adopt(header);
        return header;
    }
    bool may_publish(bool take_over = false) const {
        return std::holds_alternative<IntentHeader>(book.next(name, take_over));
    }
};

TEST(IntentBook, TheFirstToPublishIsTheAuthorOfEpochOne) {
    Node east{"east", {}};
    Node west{"west", {}};
    const auto first = east.publish();
    EXPECT_EQ(first.epoch, 1U);
    EXPECT_EQ(first.seq, 1U);
    EXPECT_EQ(first.parent, "");
    EXPECT_EQ(west.book.judge(first), Standing::newer);
    west.book.adopt(first);
    EXPECT_EQ(west.book.judge(first), Standing::same);
    EXPECT_EQ(west.book.author(), "east");
    EXPECT_FALSE(west.may_publish());
    EXPECT_TRUE(east.may_publish());
}

TEST(IntentBook, AVersionComesOnceAndInOrder) {
    Node east{"east", {}};
    Node west{"west", {}};
    const auto first = east.publish();
    const auto second = east.publish();
    const auto third = east.publish();
    west.book.adopt(first);
    // One that was missed does no harm: the author is the same.
    EXPECT_EQ(west.book.judge(third), Standing::newer);
    west.book.adopt(third);
    EXPECT_EQ(west.book.judge(first), Standing::older);
    // West never had it, and cannot tell it from somebody else's: it is not applied.
    EXPECT_NE(west.book.judge(second), Standing::newer);
    EXPECT_EQ(east.book.judge(version_of(second)), Standing::older);
}

TEST(IntentBook, AuthorshipMovesByARaisedEpoch) {
    Node east{"east", {}};
    Node west{"west", {}};
    west.book.adopt(east.publish());
    const auto taken = west.publish(true);
    EXPECT_EQ(taken.epoch, 2U);
    EXPECT_EQ(taken.seq, 1U);
    EXPECT_EQ(east.book.judge(taken), Standing::newer);
    east.book.adopt(taken);
    EXPECT_TRUE(east.book.forks().empty());
    EXPECT_FALSE(east.may_publish());
    EXPECT_TRUE(west.may_publish());
}

TEST(IntentBook, WhatAReturningOldAuthorPublishedIsAForkAndNeverApplied) {
    Node east{"east", {}};
    Node west{"west", {}};
    west.book.adopt(east.publish());
    // Cut off from each other: the old author goes on, another one takes over.
    const auto orphan = east.publish();
    const auto taken = west.publish(true);

    EXPECT_EQ(west.book.judge(orphan), Standing::forked);
    EXPECT_EQ(west.book.judge(version_of(orphan)), Standing::forked);
    EXPECT_TRUE(west.book.note_fork(orphan));
    EXPECT_FALSE(west.book.note_fork(orphan)) << "told once";
    ASSERT_EQ(west.book.forks().size(), 1U);
    EXPECT_EQ(west.book.forks()[0].author, "east");
    EXPECT_EQ(west.book.current(), version_of(taken));

    // The higher epoch fences the old author off; what it leaves behind is shown.
    EXPECT_EQ(east.book.judge(taken), Standing::newer);
    east.book.adopt(taken);
    ASSERT_EQ(east.book.forks().size(), 1U);
    EXPECT_EQ(east.book.forks()[0].version, version_of(orphan));
    EXPECT_EQ(east.book.current(), west.book.current());
    EXPECT_FALSE(east.may_publish());

    // Settled by what comes next.
    east.book.adopt(west.publish());
    EXPECT_TRUE(east.book.forks().empty());
    EXPECT_TRUE(west.book.forks().empty());
}

TEST(IntentBook, TwoWhoTakeOverAtOnceAreAForkOfEachOther) {
    Node east{"east", {}};
    Node west{"west", {}};
    Node third{"third", {}};
    const auto first = third.publish();
    east.book.adopt(first);
    west.book.adopt(first);
    const auto of_east = east.publish(true);
    const auto of_west = west.publish(true);
    EXPECT_EQ(east.book.judge(of_west), Standing::forked);
    EXPECT_EQ(west.book.judge(of_east), Standing::forked);
    // Also the one after: it has another author in this epoch.
    EXPECT_EQ(east.book.judge(west.publish()), Standing::forked);
}

TEST(IntentBook, ANextVersionOfTheAuthorWithAnotherParentIsAFork) {
    Node east{"east", {}};
    Node copy{"east", {}};
    const auto first = east.publish();
    copy.book.adopt(first);
    east.publish();
    auto other = std::get<IntentHeader>(copy.book.next("east", false));
    other.reason = "restored from a backup";
    other.content = kContent;
    copy.book.adopt(other);
    EXPECT_EQ(east.book.judge(copy.publish()), Standing::forked);
}

TEST(IntentBook, ABundleForNewerProgramsIsNotTaken) {
    Node east{"east", {}};
    auto header = east.publish();
    header.min_reader = wire::group::kReaderVersion + 1;
    EXPECT_EQ(IntentBook().judge(header), Standing::too_new);
}

TEST(IntentBook, ComesBackFromItsFile) {
    Node east{"east", {}};
    Node west{"west", {}};
    west.book.adopt(east.publish());
    const auto orphan = east.publish();
    west.publish(true);
    west.book.note_fork(orphan);
    const auto back = IntentBook::from_json_text(west.book.to_json_text());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, west.book);
    EXPECT_FALSE(IntentBook::from_json_text("{"));
    EXPECT_FALSE(IntentBook::from_json_text(R"({"version":2,"known":[],"forks":[]})"));
    EXPECT_TRUE(IntentBook::from_json_text(IntentBook().to_json_text()));
}

TEST(IntentBook, ALostVersionIsGivenUp) {
    Node east{"east", {}};
    const auto first = east.publish();
    const auto second = east.publish();
    auto book = east.book;
    book.fall_back_to(version_of(first));
    EXPECT_EQ(book.current(), version_of(first));
    EXPECT_EQ(book.judge(second), Standing::newer) << "a peer may give it back";
}

}  // namespace
}  // namespace twinsite::gslb::group
