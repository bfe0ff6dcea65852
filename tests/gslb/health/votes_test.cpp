// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/votes.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto up = State::up;
constexpr auto down = State::down;
constexpr auto unknown = State::unknown;

Quorum quorum(const char* text) {
    return parse_quorum(text).value();
}

State count(std::vector<State> votes, const char* rule) {
    return count_votes(votes, quorum(rule));
}

TEST(Quorum, ReadsItsOwnText) {
    for (const auto* text : {"any", "majority", "all", "1", "7", "1000"})
        EXPECT_EQ(to_string(quorum(text)), text);
    for (const auto* text : {"", "0", "1001", "-1", "1.5", "most", "2 "})
        EXPECT_FALSE(parse_quorum(text)) << text;
}

TEST(CountVotes, NobodyWhoKnowsMakesUnknown) {
    for (const auto* rule : {"any", "majority", "all", "3"}) {
        EXPECT_EQ(count({}, rule), unknown);
        EXPECT_EQ(count({unknown, unknown}, rule), unknown);
    }
}

TEST(CountVotes, OneVoteDecidesUnderEveryRule) {
    for (const auto* rule : {"any", "majority", "all", "3"}) {
        EXPECT_EQ(count({up}, rule), up) << rule;
        EXPECT_EQ(count({down, unknown}, rule), down) << rule;
    }
}

TEST(CountVotes, EachRuleHasItsBoundary) {
    EXPECT_EQ(count({up, down, down, down}, "any"), up);
    EXPECT_EQ(count({up, down}, "majority"), up) << "a tie is up";
    EXPECT_EQ(count({up, down, down}, "majority"), down);
    EXPECT_EQ(count({up, up, down, down}, "majority"), up);
    EXPECT_EQ(count({up, up, up, down}, "all"), down);
    EXPECT_EQ(count({up, up, unknown}, "all"), up) << "who abstains is not asked";
    EXPECT_EQ(count({up, down, down}, "2"), down);
    EXPECT_EQ(count({up, up, down}, "2"), up);
}

TEST(CountVotes, DoesNotDependOnOrder) {
    std::vector<State> votes{up, down, unknown, down, up, up};
    std::sort(votes.begin(), votes.end());
    do {
        EXPECT_EQ(count(votes, "majority"), up);
        EXPECT_EQ(count(votes, "4"), down);
    } while (std::next_permutation(votes.begin(), votes.end()));
}

/// The rule table of the spec, row by row: (own link, peer, witness), when nothing of the other
/// sites is seen alive.
struct Row {
    Sign own_link;
    Sign peer;
    Sign witness;
    Stance expected;
};
constexpr auto none = Sign::none;
constexpr auto bad = Sign::bad;
constexpr auto good = Sign::good;

class RuleTable : public testing::TestWithParam<Row> {};

TEST_P(RuleTable, HoldsWhenNothingRemoteIsSeen) {
    const auto& row = GetParam();
    EXPECT_EQ(find_stance({row.own_link, row.peer, row.witness, true}), row.expected)
        << to_string(row.own_link) << " " << to_string(row.peer) << " " << to_string(row.witness);
}

TEST_P(RuleTable, NeverIsolatesWhileSomethingRemoteIsSeen) {
    const auto& row = GetParam();
    EXPECT_NE(find_stance({row.own_link, row.peer, row.witness, false}), Stance::isolated);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RuleTable,
    testing::Values(
        // own link, peer, witness
        Row{none, none, none, Stance::alone},
        Row{none, none, bad, Stance::isolated},
        Row{none, none, good, Stance::member},
        Row{none, bad, none, Stance::isolated},
        Row{none, bad, bad, Stance::isolated},
        Row{none, bad, good, Stance::member},
        Row{none, good, none, Stance::member},
        Row{none, good, bad, Stance::member},
        Row{none, good, good, Stance::member},
        // Our own link works: the others are gone, whoever is silent.
        Row{good, none, none, Stance::alone},
        Row{good, none, bad, Stance::member},
        Row{good, none, good, Stance::member},
        Row{good, bad, none, Stance::member},
        Row{good, bad, bad, Stance::member},
        Row{good, bad, good, Stance::member},
        Row{good, good, none, Stance::member},
        Row{good, good, bad, Stance::member},
        Row{good, good, good, Stance::member},
        // Our own link is down: what we see of others is worth nothing, whatever is heard over
        // other ways.
        Row{bad, none, none, Stance::isolated},
        Row{bad, none, bad, Stance::isolated},
        Row{bad, none, good, Stance::isolated},
        Row{bad, bad, none, Stance::isolated},
        Row{bad, bad, bad, Stance::isolated},
        Row{bad, bad, good, Stance::isolated},
        Row{bad, good, none, Stance::isolated},
        Row{bad, good, bad, Stance::isolated},
        Row{bad, good, good, Stance::isolated}
    )
);

TEST(Judge, OwnVoteDecidesWhenOthersAbstain) {
    EXPECT_EQ(judge({down, {}, true}, quorum("majority"), Stance::member, up), down);
    EXPECT_EQ(judge({up, {}, true}, quorum("all"), Stance::alone, down), up);
}

TEST(Judge, ASilentPeerIsNoVote) {
    EXPECT_EQ(judge({up, {unknown}, true}, quorum("all"), Stance::member, up), up);
}

TEST(Judge, AWitnessAndWeOutvoteNobodyWhoIsSilent) {
    EXPECT_EQ(judge({down, {down}, true}, quorum("majority"), Stance::member, up), down);
}

TEST(Judge, IsolatedKeepsWhatWasJointlyKnownOfOtherSites) {
    EXPECT_EQ(judge({down, {}, true}, quorum("majority"), Stance::isolated, up), up);
    EXPECT_EQ(judge({down, {}, true}, quorum("majority"), Stance::isolated, down), down);
}

TEST(Judge, IsolatedStillJudgesItsOwnSite) {
    EXPECT_EQ(judge({down, {}, false}, quorum("majority"), Stance::isolated, up), down);
}

TEST(Judge, IsolatedFromTheStartHasOnlyItsOwnState) {
    EXPECT_EQ(judge({down, {}, true}, quorum("majority"), Stance::isolated, unknown), down);
}

class VoteBookTest : public testing::Test {
protected:
    Vote vote(std::string observer, std::uint64_t seq, State result, milliseconds age = {}) {
        return {std::move(observer), "ocs/east", "web@192.0.2.1:80", seq, result, {}, age};
    }
    std::vector<State> results(const char* check = "web@192.0.2.1:80") const {
        std::vector<State> out;
        for (const auto* kept : book.find("ocs/east", check)) out.push_back(kept->vote.result);
        return out;
    }
    VoteBook book;
    Clock::time_point now = Clock::time_point() + std::chrono::hours(10);
};

TEST_F(VoteBookTest, KeepsTheNewestOfEachObserver) {
    EXPECT_TRUE(book.take(vote("b", 5, up), now));
    EXPECT_FALSE(book.take(vote("b", 5, down), now));
    EXPECT_FALSE(book.take(vote("b", 4, down), now));
    EXPECT_TRUE(book.take(vote("a", 1, down), now));
    EXPECT_TRUE(book.take(vote("b", 6, down), now + seconds(1)));
    EXPECT_EQ(results(), (std::vector{down, down}));
    EXPECT_EQ(book.size(), 2U);
}

TEST_F(VoteBookTest, TakesAnObserverThatCountsAnew) {
    EXPECT_TRUE(book.take(vote("b", 500, up), now));
    EXPECT_FALSE(book.take(vote("b", 1, down), now + seconds(10)));
    EXPECT_TRUE(book.take(vote("b", 1, down), now + seconds(11)));
    EXPECT_FALSE(book.take(vote("b", 0, up, seconds(11)), now + seconds(22)))
        << "an old one, relayed";
    EXPECT_EQ(results(), (std::vector{down}));
}

TEST_F(VoteBookTest, ItsAgeCountsFromTheResultNotFromTheArrival) {
    book.take(vote("b", 1, up, seconds(20)), now);
    const auto& kept = *book.find("ocs/east", "web@192.0.2.1:80").at(0);
    EXPECT_TRUE(is_fresh(kept, seconds(10), now + seconds(10)));
    EXPECT_FALSE(is_fresh(kept, seconds(10), now + seconds(10) + milliseconds(1)));
}

TEST_F(VoteBookTest, AVoteForAllAddressesSpeaksForEachButNotOverItsOwn) {
    auto general = vote("agent", 1, down);
    general.check = "web";
    book.take(general, now);
    EXPECT_EQ(results(), (std::vector{down}));
    EXPECT_EQ(results("web@192.0.2.9:80"), (std::vector{down}));
    book.take(vote("agent", 2, up), now);
    EXPECT_EQ(results(), (std::vector{up}));
    EXPECT_EQ(results("web@192.0.2.9:80"), (std::vector{down}));
    EXPECT_TRUE(results("web2@192.0.2.1:80").empty());
}

TEST_F(VoteBookTest, ForgetsWhatIsOld) {
    book.take(vote("a", 1, up), now);
    book.take(vote("b", 1, up), now + seconds(30));
    book.forget(now + std::chrono::minutes(60) + seconds(1));
    EXPECT_EQ(book.size(), 1U);
}

TEST_F(VoteBookTest, ANegativeOrHugeAgeDoesNoHarm) {
    book.take(vote("a", 1, up, milliseconds(-5)), now);
    book.take(vote("b", 1, up, milliseconds::max()), now);
    EXPECT_EQ(book.find("ocs/east", "web@192.0.2.1:80").at(0)->heard, now);
    EXPECT_EQ(book.find("ocs/east", "web@192.0.2.1:80").at(1)->heard, now - VoteBook::kForget);
}

}  // namespace
}  // namespace twinsite::gslb::health
