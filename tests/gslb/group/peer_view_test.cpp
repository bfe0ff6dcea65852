// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/peer_view.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::group {
namespace {

using std::chrono::milliseconds;
using wire::group::Digest;
using wire::group::IntentHeader;

constexpr milliseconds kSilent{3'000};

/// A book with `count` versions of one author.
IntentBook book_of(int count) {
    IntentBook out;
    for (int i = 0; i < count; ++i) {
        auto header = std::get<IntentHeader>(out.next("east", false));
        header.content = std::string(64, 'c');
        out.adopt(header);
    }
    return out;
}

class PeerViewTest : public testing::Test {
protected:
    PeerViewTest() {
        own_.intent = book_.current();
        own_.overrides = std::string(64, 'o');
        peer_.silent_for = milliseconds(500);
        peer_.compared = true;
        peer_.digest = own_;
    }
    std::string judged() {
        judge_peer(peer_, book_, own_, kSilent);
        return std::string(to_string(peer_.state)) + ": " + describe(peer_);
    }

    IntentBook book_ = book_of(5);
    Digest own_;
    PeerView peer_;
};

TEST_F(PeerViewTest, APeerThatKnowsTheSameIsInSync) {
    EXPECT_EQ(judged(), "in_sync: in sync");
}

TEST_F(PeerViewTest, APeerWithAnOlderVersionIsBehindByThatMany) {
    peer_.digest.intent = book_.known()[2].version;
    EXPECT_EQ(judged(), "behind: behind 2");
    peer_.digest.intent = {};
    EXPECT_EQ(judged(), "behind: behind 5");
}

TEST_F(PeerViewTest, APeerWithANewerVersionIsAhead) {
    peer_.digest.intent = {1, 8, std::string(64, 'x')};
    EXPECT_EQ(judged(), "behind: ahead 3");
}

TEST_F(PeerViewTest, OtherOverridesAreBeingExchanged) {
    peer_.digest.overrides = std::string(64, 'p');
    EXPECT_EQ(judged(), "behind: exchanging overrides");
}

TEST_F(PeerViewTest, AVersionThatDoesNotFollowIsAFork) {
    peer_.digest.intent = {1, 4, std::string(64, 'x')};
    EXPECT_EQ(judged(), "forked: forked");
}

TEST_F(PeerViewTest, SilenceIsTold) {
    peer_.silent_for = milliseconds(12'400);
    EXPECT_EQ(judged(), "stale: stale 12s");
    peer_.silent_for.reset();
    EXPECT_EQ(judged(), "stale: never heard");
}

}  // namespace
}  // namespace twinsite::gslb::group
