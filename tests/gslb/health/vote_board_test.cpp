// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/vote_board.hpp"

#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;

/// Two sites; we are "a" in the east. Each target has one check each second.
class VoteBoardTest : public testing::Test {
protected:
    VoteBoardTest() {
        rules_.node = "a";
        rules_.targets["ocs/east"] = {{}, false};
        rules_.targets["ocs/west"] = {{}, true};
        board_.apply(rules_);
        sees("ocs/east", State::up);
        sees("ocs/west", State::up);
        look();
    }
    void sees(const std::string& id, State state) {
        CheckView view;
        view.name = "web";
        view.target = base::net::parse_endpoint("192.0.2.1:80").value();
        view.interval = 1s;
        view.state = state;
        view.age = 0ms;
        own_[id] = view;
    }
    void says(const std::string& observer, const std::string& id, State state) {
        EXPECT_TRUE(board_.take({observer, id, "web@192.0.2.1:80", ++seq_, state, 1ms, 0ms}, now_));
    }
    State look() {
        board_.refresh(now_);
        return board_.health("ocs/west").state;
    }
    State pass(Clock::duration time) {
        now_ += time;
        return look();
    }

    VoteBoard::Rules rules_;
    std::map<std::string, CheckView, std::less<>> own_;
    VoteBoard board_{[this](std::string_view id) {
        const auto found = own_.find(id);
        return found == own_.end() ? std::vector<CheckView>() : std::vector{found->second};
    }};
    Clock::time_point now_ = Clock::time_point() + 10h;
    std::uint64_t seq_ = 0;
};

TEST_F(VoteBoardTest, AloneOurOwnChecksDecide) {
    EXPECT_EQ(board_.stance(), Stance::alone);
    sees("ocs/west", State::down);
    EXPECT_EQ(look(), State::down);
}

TEST_F(VoteBoardTest, OneOfTwoObserversTakesNothingOut) {
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::up);
    sees("ocs/west", State::down);
    EXPECT_EQ(look(), State::up);
    EXPECT_EQ(board_.stance(), Stance::member);
    says("b", "ocs/west", State::down);
    EXPECT_EQ(look(), State::down);
    says("b", "ocs/east", State::down);
    look();
    EXPECT_EQ(board_.health("ocs/east").state, State::up) << "we see it up, and it is a tie";
}

TEST_F(VoteBoardTest, TheQuorumOfATargetIsItsOwn) {
    rules_.targets["ocs/west"].quorum = parse_quorum("all").value();
    board_.apply(rules_);
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::down);
    EXPECT_EQ(look(), State::down) << "ours is up, but all are wanted";
}

TEST_F(VoteBoardTest, AVoteThatIsThreeIntervalsOldAbstains) {
    board_.set_peer(Sign::good);
    rules_.targets["ocs/west"].quorum = parse_quorum("all").value();
    board_.apply(rules_);
    says("b", "ocs/west", State::down);
    EXPECT_EQ(pass(3s), State::down);
    EXPECT_EQ(pass(1ms), State::up);
}

/// The false failover of a cut link, step by step: our checks of the other site fail, then its
/// votes stop, then it is known to be silent. At no moment does the other site count as down.
TEST_F(VoteBoardTest, ACutLinkIsNoFailoverAtAnyMoment) {
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::up);
    EXPECT_EQ(look(), State::up);
    EXPECT_EQ(pass(1s), State::up);
    sees("ocs/west", State::down);
    for (int step = 0; step < 50; ++step) {
        EXPECT_EQ(pass(100ms), State::up) << step;
        if (step == 45) board_.set_peer(Sign::bad);
    }
    EXPECT_EQ(board_.stance(), Stance::isolated);
    EXPECT_EQ(board_.health("ocs/east").state, State::up) << "our own site goes on";
    sees("ocs/east", State::down);
    look();
    EXPECT_EQ(board_.health("ocs/east").state, State::down);
    // The link heals: the peer is heard before our own checks are good again.
    board_.set_peer(Sign::good);
    EXPECT_EQ(pass(100ms), State::up);
    says("b", "ocs/west", State::up);
    EXPECT_EQ(pass(100ms), State::up);
    EXPECT_EQ(board_.stance(), Stance::member);
}

TEST_F(VoteBoardTest, AWitnessTellsADeadSiteFromACutLink) {
    rules_.witnesses = {"w"};
    board_.apply(rules_);
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::up);
    look();
    sees("ocs/west", State::down);
    board_.set_peer(Sign::bad);
    now_ += 4s;
    says("w", "ocs/west", State::down);
    EXPECT_EQ(look(), State::down);
    says("w", "ocs/west", State::up);
    EXPECT_EQ(look(), State::up);
}

TEST_F(VoteBoardTest, WithAWorkingLinkOfItsOwnASilentDeadSiteIsDown) {
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::up);
    look();
    sees(std::string(kOwnLink), State::up);
    sees("ocs/west", State::down);
    board_.set_peer(Sign::bad);
    EXPECT_EQ(pass(4s), State::down);
    sees(std::string(kOwnLink), State::down);
    EXPECT_EQ(pass(1s), State::up) << "it was our link: what was jointly known holds";
    EXPECT_EQ(board_.stance(), Stance::isolated);
}

TEST_F(VoteBoardTest, WhatWasJointlyKnownOutlivesARestart) {
    board_.set_peer(Sign::bad);
    sees("ocs/west", State::down);
    EXPECT_EQ(look(), State::down) << "nothing was ever jointly known";
    board_.restore({{"ocs/west web@192.0.2.1:80", {State::up, 5s, {}, {}}}}, now_);
    EXPECT_EQ(look(), State::up);
    EXPECT_EQ(board_.joint(now_ + 1s).at("ocs/west web@192.0.2.1:80").age, 6000ms);
}

TEST_F(VoteBoardTest, TakesNoVotesInOurName) {
    EXPECT_FALSE(board_.take({"a", "ocs/west", "web", 1, State::down, {}, {}}, now_));
    EXPECT_FALSE(board_.take({"", "ocs/west", "web", 1, State::down, {}, {}}, now_));
}

TEST_F(VoteBoardTest, ShowsWhoSaidWhatAndWhatCounts) {
    board_.set_peer(Sign::good);
    says("b", "ocs/west", State::down);
    now_ += 4s;
    says("c", "ocs/west", State::down);
    look();
    const auto judged = board_.judged("ocs/west", now_);
    ASSERT_EQ(judged.size(), 1U);
    EXPECT_EQ(judged[0].key, "web@192.0.2.1:80");
    ASSERT_EQ(judged[0].words.size(), 3U);
    EXPECT_TRUE(judged[0].words[0].own);
    EXPECT_FALSE(judged[0].words[1].fresh);
    EXPECT_EQ(judged[0].words[1].age, 4000ms);
    EXPECT_TRUE(judged[0].words[2].fresh);
    EXPECT_EQ(judged[0].result, State::up) << "a tie";
}

/// Two members with equal votes come to equal results, whoever they are.
TEST_F(VoteBoardTest, BothSidesJudgeAlike) {
    for (unsigned bits = 0; bits < 9; ++bits) {
        const std::array<State, 3> states{State::unknown, State::up, State::down};
        const auto of_a = states[bits % 3];
        const auto of_b = states[bits / 3];
        VoteBoard other([&](std::string_view id) {
            auto view = own_.at(std::string(id == kOwnLink ? "ocs/east" : id));
            view.state = of_b;
            return std::vector{view};
        });
        auto rules = rules_;
        rules.node = "b";
        rules.targets["ocs/east"].remote = true;
        rules.targets["ocs/west"].remote = false;
        other.apply(rules);
        other.set_peer(Sign::good);
        board_.set_peer(Sign::good);
        sees("ocs/west", of_a);
        says("b", "ocs/west", of_b);
        other.take({"a", "ocs/west", "web@192.0.2.1:80", ++seq_, of_a, {}, {}}, now_);
        look();
        other.refresh(now_);
        EXPECT_EQ(board_.health("ocs/west").state, other.health("ocs/west").state) << bits;
    }
}

}  // namespace
}  // namespace twinsite::gslb::health
