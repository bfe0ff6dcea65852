// SPDX-License-Identifier: Apache-2.0
// A blade that answers watchdogs but no requests is kept out, longer each time.
#include "slb/proxy/shard.hpp"
#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

/// Blade 1 serves, blade 2 answers watchdogs alone.
class Hold : public testing::Test {
protected:
    Hold() { site_.blade(1).answer_by_itself(true); }

    void ask() {
        client_->send(make_ccr("s" + std::to_string(number_), number_, number_, 1));
        ++number_;
        site_.step();
    }
    /// Asks until blade 2 has been suspected so often.
    bool ask_until_suspicions(std::uint64_t count) {
        return site_.until([&] {
            ask();
            return site_.status(2).counters.suspicions >= count;
        });
    }

    Site site_{2, [](Settings& settings) {
                   settings.balance = "round_robin";
                   settings.suspect_after = 20ms;
                   settings.request_timeout = 2'000ms;
               }};
    std::unique_ptr<Wire> client_ = site_.connect();
    std::uint32_t number_ = 1;
};

TEST_F(Hold, TheFirstSuspicionEndsWithTheFirstSignOfLife) {
    ASSERT_TRUE(ask_until_suspicions(1));
    EXPECT_TRUE(site_.until([&] { return site_.status(2).link == "open"; }));
}

TEST_F(Hold, AfterTheSecondWithoutAnAnswerItGetsNothingForAWhile) {
    ASSERT_TRUE(ask_until_suspicions(2));
    const auto begin = std::chrono::steady_clock::now();
    const auto requests = site_.status(2).counters.requests;
    while (std::chrono::steady_clock::now() - begin < 400ms) ask();
    EXPECT_EQ(site_.status(2).counters.suspicions, 2u);
    EXPECT_EQ(site_.status(2).counters.requests, requests);
    EXPECT_EQ(site_.status(2).link, "suspect");
    EXPECT_TRUE(site_.until_messages(*client_, number_ - 1)) << "blade 1 answered them all";
}

TEST_F(Hold, AnAnswerEndsTheHoldAtOnce) {
    ASSERT_TRUE(ask_until_suspicions(2));
    ASSERT_TRUE(site_.until([&] { return !site_.blade(2).requests().empty(); }));
    site_.run_for(20ms);
    EXPECT_EQ(site_.status(2).link, "suspect");
    site_.blade(2).answer_all();
    site_.blade(2).answer_by_itself(true);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(site_.until([&] { return site_.status(2).link == "open"; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 300ms);
    ASSERT_TRUE(site_.until([&] {
        ask();
        return site_.status(2).counters.answers > 0;
    }));
}

TEST_F(Hold, ItIsTriedAgainWhenTheHoldIsOver) {
    ASSERT_TRUE(ask_until_suspicions(2));
    EXPECT_TRUE(ask_until_suspicions(3)) << "within a second";
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 900ms) ask();
    EXPECT_EQ(site_.status(2).counters.suspicions, 3u) << "the second hold is at least a second";
}

TEST_F(Hold, ANewConnectionBeginsAnew) {
    ASSERT_TRUE(ask_until_suspicions(2));
    site_.blade(2).wire().close();
    EXPECT_TRUE(site_.until([&] { return site_.status(2).link == "open"; }));
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
