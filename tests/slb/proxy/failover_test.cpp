// SPDX-License-Identifier: Apache-2.0
// What happens when a blade dies, falls silent, or is slow (S-T11, S-T12, S-T15, S-T16).
#include <map>
#include <set>

#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

std::size_t waiting(Site& site) {
    std::size_t out = 0;
    for (auto& blade : site.blades()) out += blade->requests().size();
    return out;
}

void send_sessions(Wire& client, std::uint32_t count, std::uint32_t sessions) {
    for (std::uint32_t i = 0; i < count; ++i)
        client.send(make_ccr("s;" + std::to_string(i % sessions), i, 10'000 + i));
}

/// Each of `count` requests was answered exactly once, with the client's own ids.
void expect_all_answered_once(Site& site, Wire& client, std::uint32_t count) {
    ASSERT_TRUE(site.until_messages(client, count));
    site.run_for(20ms);
    ASSERT_EQ(client.messages().size(), count);
    std::set<std::uint32_t> seen;
    for (const auto& answer : client.messages()) {
        EXPECT_EQ(answer.result(), 2001u);
        EXPECT_EQ(answer.end_to_end(), 10'000 + answer.hop_by_hop());
        seen.insert(answer.hop_by_hop());
    }
    EXPECT_EQ(seen.size(), count);
    client.messages().clear();
}

/// Requests of one session arrive in the order in which the client sent them.
void expect_order_per_session(const std::deque<Received>& requests) {
    std::map<std::string, std::uint32_t> last;
    for (const auto& request : requests) {
        auto& before = last[request.session()];
        EXPECT_GT(request.end_to_end(), before) << request.session();
        before = request.end_to_end();
    }
}

TEST(Failover, KilledBladesRequestsGoToTheOtherWithTheTFlag) {
    Site site(2);
    auto client = site.connect();
    send_sessions(*client, 200, 40);
    ASSERT_TRUE(site.until([&] { return waiting(site) == 200; }));
    const auto moved = site.blade(1).requests().size();
    const auto stayed = site.blade(2).requests().size();
    ASSERT_GT(moved, 0u);
    std::set<std::uint32_t> pending;
    for (const auto& request : site.blade(1).requests()) pending.insert(request.end_to_end());
    site.blade(1).kill();
    ASSERT_TRUE(site.until_requests(site.blade(2), 200));
    auto& requests = site.blade(2).requests();
    std::deque<Received> resent(requests.begin() + static_cast<long>(stayed), requests.end());
    for (const auto& request : resent) {
        EXPECT_TRUE(request.retransmitted());
        EXPECT_TRUE(pending.contains(request.end_to_end()));
    }
    expect_order_per_session(resent);
    site.blade(2).answer_all();
    expect_all_answered_once(site, *client, 200);
    EXPECT_EQ(site.status(1).counters.resent_from, moved);
    EXPECT_EQ(site.status(2).counters.resent_to, moved);
    EXPECT_EQ(site.status(1).pending, 0u);
    EXPECT_EQ(site.status(2).pending, 0u);
}

TEST(Failover, SilentBladeIsSuspectedAndItsLateAnswersAreDroppedAndCounted) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 30ms;
        settings.request_timeout = 2'000ms;
    });
    auto client = site.connect();
    send_sessions(*client, 100, 20);
    ASSERT_TRUE(site.until([&] { return waiting(site) == 100; }));
    const auto stuck = site.blade(1).requests().size();
    ASSERT_GT(stuck, 0u);
    const auto late = std::move(site.blade(1).requests());
    site.blade(1).requests().clear();
    site.blade(1).mute(true);
    site.blade(2).answer_by_itself(true);
    site.blade(2).answer_all();
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "suspect"; }));
    expect_all_answered_once(site, *client, 100);
    EXPECT_EQ(site.status(1).counters.suspicions, 1u);

    // New requests, of old and new sessions, avoid it.
    send_sessions(*client, 100, 50);
    expect_all_answered_once(site, *client, 100);

    // It wakes up and answers what it had: too late, and it is trusted again.
    site.blade(1).mute(false);
    for (const auto& request : late) site.blade(1).answer(request);
    ASSERT_TRUE(site.until([&] { return site.status(1).counters.late == stuck; }));
    EXPECT_EQ(site.status(1).link, "open");
    EXPECT_TRUE(client->messages().empty());
}

TEST(Failover, ABladeThatIsOnlySlowIsNotSuspected) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 50ms;
        settings.request_timeout = 5'000ms;
    });
    auto client = site.connect();
    client->send(make_ccr("slow", 1, 10'001));
    ASSERT_TRUE(site.until([&] { return waiting(site) == 1; }));
    auto& slow = site.blade(1).requests().empty() ? site.blade(2) : site.blade(1);
    const auto held = slow.requests().front();
    slow.requests().clear();
    slow.answer_by_itself(true);
    const auto end = std::chrono::steady_clock::now() + 200ms;
    std::uint32_t id = 2;
    while (std::chrono::steady_clock::now() < end) {
        client->send(make_ccr("slow", id, 10'000 + id));
        ++id;
        ASSERT_TRUE(site.until_messages(*client, 1));
        client->messages().clear();
    }
    EXPECT_EQ(site.status(1).counters.suspicions + site.status(2).counters.suspicions, 0u);
    slow.answer(held);
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->hop_by_hop(), 1u);
}

// Bytes keep coming, so it is not suspected; what it leaves out moves by the request time-out.
TEST(Failover, RequestsThatABusyBladeLeavesUnansweredAreSentElsewhere) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 100ms;
        settings.request_timeout = 200ms;
        settings.balance = "round_robin";
    });
    auto client = site.connect();
    site.blade(2).answer_by_itself(true);
    constexpr std::size_t kLeftOut = 20;
    std::deque<Received> left_out;
    std::uint32_t sent = 0;
    std::size_t got = 0;
    ASSERT_TRUE(site.until([&] {
        client->send(make_ccr("s;" + std::to_string(sent), sent, 10'000 + sent));
        ++sent;
        for (const auto& request : site.blade(1).requests()) {
            if (++got % 5 == 0 && left_out.size() < kLeftOut) {
                left_out.push_back(request);
            } else {
                site.blade(1).answer(request);
            }
        }
        site.blade(1).requests().clear();
        return site.status(1).counters.timeouts == kLeftOut;
    }));
    site.blade(1).answer_by_itself(true);
    site.blade(1).answer_all();
    expect_all_answered_once(site, *client, sent);
    EXPECT_EQ(site.status(1).counters.suspicions, 0u);
    EXPECT_EQ(site.status(1).counters.timeouts, kLeftOut);
    EXPECT_EQ(site.status(1).counters.resent_from, kLeftOut);
    EXPECT_EQ(site.status(2).counters.resent_to, kLeftOut);

    for (const auto& request : left_out) site.blade(1).answer(request);
    ASSERT_TRUE(site.until([&] { return site.status(1).counters.late == kLeftOut; }));
    EXPECT_TRUE(client->messages().empty());
}

// S-T12: the answer comes just after its deadline, the slot may be in use again.
TEST(Failover, TimedOutTriesAreSentElsewhereAndTheLateAnswerHarmsNobody) {
    Site site(2, [](Settings& settings) {
        settings.request_timeout = 30ms;
        settings.suspect_after = 30ms;
        settings.tries = 3;
    });
    auto client = site.connect();
    client->send(make_ccr("s;1", 1, 10'001));
    ASSERT_TRUE(site.until([&] { return waiting(site) == 1; }));
    const std::size_t first = site.blade(1).requests().empty() ? 2 : 1;
    auto& other = site.blade(3 - first);
    ASSERT_TRUE(site.until_requests(other, 1));
    EXPECT_TRUE(other.requests().front().retransmitted());
    other.answer_all();
    ASSERT_TRUE(site.until_messages(*client, 1));
    client->messages().clear();
    // Another client's request takes the slot that became free.
    const auto late = site.blade(first).requests().front();
    site.blade(first).requests().clear();
    site.blade(first).answer(late);
    ASSERT_TRUE(site.until([&] { return site.status(first).counters.late == 1; }));
    auto second = site.connect("d.test.example");
    site.blade(1).answer_by_itself(true);
    site.blade(2).answer_by_itself(true);
    for (std::uint32_t i = 0; i < 20; ++i) second->send(make_ccr("t;" + std::to_string(i), i, i));
    site.blade(first).answer(late);
    ASSERT_TRUE(site.until_messages(*second, 20));
    EXPECT_TRUE(client->messages().empty());
}

TEST(Failover, AfterAllTriesTheClientGets3002) {
    Site site(3, [](Settings& settings) {
        settings.request_timeout = 20ms;
        settings.suspect_after = 20ms;
        settings.tries = 2;
    });
    auto client = site.connect();
    client->send(make_ccr("s;1", 1, 2));
    ASSERT_TRUE(site.until_messages(*client, 1));
    const auto answer = *client->take();
    EXPECT_EQ(answer.result(), 3002u);
    EXPECT_EQ(answer.hop_by_hop(), 1u);
    EXPECT_EQ(answer.end_to_end(), 2u);
    EXPECT_EQ(waiting(site), 2u) << "two tries, at two blades";
    EXPECT_EQ(site.shard().status().pending, 0u);
}

TEST(Failover, TheOnlyBladeKeepsItsRequestsWhileItIsSilent) {
    Site site(1, [](Settings& settings) {
        settings.suspect_after = 20ms;
        settings.request_timeout = 2'000ms;
    });
    auto client = site.connect();
    client->send(make_ccr("s;1", 1, 10'001));
    ASSERT_TRUE(site.until_requests(site.blade(1), 1));
    site.blade(1).mute(true);
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "suspect"; }));
    client->send(make_ccr("s;2", 2, 10'002));
    site.run_for(20ms);
    EXPECT_TRUE(client->messages().empty());
    site.blade(1).mute(false);
    ASSERT_TRUE(site.until_requests(site.blade(1), 2));
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 2));
    EXPECT_EQ(client->take()->result(), 2001u);
    EXPECT_EQ(client->take()->result(), 2001u);
}

TEST(Failover, SessionsStayWithABladeThatComesBackWithItsState) {
    Site site(2);
    auto client = site.connect();
    for (auto& blade : site.blades()) blade->answer_by_itself(true);
    send_sessions(*client, 40, 40);
    ASSERT_TRUE(site.until_messages(*client, 40));
    client->messages().clear();
    const auto homes = site.status(1).sessions;
    site.blade(1).kill();
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 1; }));
    site.blade(1).revive(1);
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 2; }));
    EXPECT_EQ(site.status(1).sessions, homes);
    EXPECT_EQ(site.status(1).counters.lost_state, 0u);
}

// S-T15
TEST(Failover, ABladeThatLostItsStateIsANewNodeAndClientsSeeNothing) {
    Site site(2);
    auto client = site.connect();
    for (auto& blade : site.blades()) blade->answer_by_itself(true);
    send_sessions(*client, 40, 40);
    ASSERT_TRUE(site.until_messages(*client, 40));
    client->messages().clear();
    site.blade(1).kill();
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 1; }));
    site.blade(1).revive(2);
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 2; }));
    EXPECT_EQ(site.status(1).counters.lost_state, 1u);
    EXPECT_EQ(site.status(1).sessions, 0u);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        Bytes dwr;
        dia::build_dwr(dwr, identity("c.test.example"), i, i);
        client->send(dwr);
    }
    ASSERT_TRUE(site.until_messages(*client, 1000));
    for (const auto& answer : client->messages()) {
        ASSERT_EQ(answer.result(), 2001u);
        const auto state = dia::find_avp(answer.bytes, dia::avp::kOriginStateId);
        ASSERT_TRUE(state);
        ASSERT_EQ(state->u32(), 77u);
    }
}

// S-T16: one blade reads nothing; nobody else may notice, and memory stays bounded.
TEST(Failover, ABladeThatStopsReadingBlocksNobodyElse) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 5'000ms;  // keep it in use: the rings must cope
        settings.request_timeout = 5'000ms;
        settings.pending_per_blade = 2'000;
        settings.balance = "round_robin";
    });
    auto client = site.connect();
    site.blade(1).mute(true);
    site.blade(2).answer_by_itself(true);
    const std::size_t padding = 4'000;
    std::size_t answered = 0;
    std::map<std::uint32_t, int> results;
    for (std::uint32_t i = 0; i < 6'000; ++i) {
        client->send(make_ccr("s;" + std::to_string(i), i, i, 1, padding));
        site.step();
        while (auto answer = client->take()) {
            ++answered;
            ++results[answer->result()];
        }
    }
    ASSERT_TRUE(site.until([&] {
        while (auto answer = client->take()) {
            ++answered;
            ++results[answer->result()];
        }
        return site.status(2).pending == 0 && answered + site.status(1).pending == 6'000;
    }));
    EXPECT_LE(site.status(1).pending, 2'000u);
    EXPECT_GE(results[2001], 3'900);
    EXPECT_EQ(results[3004], 0) << "new sessions go to the blade that has room";
    EXPECT_FALSE(client->unsent());
    // It reads again, and everything is served.
    site.blade(1).answer_by_itself(true);
    site.blade(1).mute(false);
    ASSERT_TRUE(site.until([&] { return site.shard().status().pending == 0; }));
}

TEST(Failover, WhatASuspectedBladeNeverReadIsNotSentToItLater) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 1'000ms;
        settings.request_timeout = 5'000ms;
        settings.balance = "round_robin";
    });
    auto client = site.connect();
    site.blade(1).mute(true);
    site.blade(2).answer_by_itself(true);
    // More than the kernel's buffers take, so that the ring holds the rest.
    for (std::uint32_t i = 0; i < 800; ++i) {
        client->send(make_ccr("s;" + std::to_string(i), i, 10'000 + i, 1, 30'000));
        site.step();
    }
    ASSERT_TRUE(site.until([&] { return client->messages().size() == 800; }));
    const auto resent = site.status(1).counters.resent_from;
    EXPECT_GT(resent, 0u);
    site.blade(1).mute(false);
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "open"; }));
    site.run_for(50ms);
    EXPECT_LT(site.blade(1).served(), resent);
}

TEST(Failover, ExpiryRunsWithoutTraffic) {
    Site site(1, [](Settings& settings) { settings.session_idle = std::chrono::seconds(4); });
    site.blade(1).answer_by_itself(true);
    auto client = site.connect();
    send_sessions(*client, 50, 50);
    ASSERT_TRUE(site.until_messages(*client, 50));
    EXPECT_EQ(site.shard().status().sessions, 50u);
    const auto limit = std::chrono::steady_clock::now() + 15s;
    while (site.shard().status().sessions > 0 && std::chrono::steady_clock::now() < limit)
        site.step();
    EXPECT_EQ(site.shard().status().sessions, 0u);
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
