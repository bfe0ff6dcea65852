// SPDX-License-Identifier: Apache-2.0
// Clients that are asked to leave, at a pace, and lose nothing (RFC 6733 section 5.4).
#include "slb/proxy/release.hpp"

#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

using State = ReleaseStatus::State;

bool is_dpr(const Received& message) {
    return message.command() == dia::command::kDisconnectPeer && message.header().is_request();
}

std::uint32_t cause_of(const Received& dpr) {
    const auto found = dia::find_avp(dpr.bytes, dia::avp::kDisconnectCause);
    return found ? found->u32().value_or(99) : 99;
}

Bytes make_dpa(const Received& dpr) {
    Bytes out;
    dia::build_dpa(out, identity("c.test.example"), dpr.header());
    return out;
}

/// Answers the DPR and sees the end.
void leave(Site& site, Wire& client) {
    ASSERT_TRUE(site.until_messages(client, 1));
    const auto dpr = *client.take();
    ASSERT_TRUE(is_dpr(dpr));
    client.send(make_dpa(dpr));
    ASSERT_TRUE(site.until([&] { return client.at_end(); }));
    client.close();
    site.forget(client);
}

TEST(Release, AsksEachClientOnceWithRebooting) {
    Site site(1);
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    site.shard().release(1'000);
    ASSERT_TRUE(site.until([&] { return !a->messages().empty() && !b->messages().empty(); }));
    EXPECT_EQ(cause_of(a->messages().front()), 0u);
    auto late = site.connect("late.test.example");
    leave(site, *a);
    leave(site, *b);
    ASSERT_TRUE(site.until([&] { return site.shard().release_status().state == State::done; }));
    EXPECT_EQ(site.shard().release_status().released, 2u);
    EXPECT_EQ(site.shard().release_status().total, 2u);
    site.run_for(30ms);
    EXPECT_TRUE(late->messages().empty()) << "it came after the start";
    EXPECT_EQ(site.shard().status().clients, 1u);
    EXPECT_EQ(site.shard().status().released, 2u);
}

TEST(Release, KeepsItsPace) {
    Site site(1);
    std::vector<std::unique_ptr<Wire>> clients;
    for (int i = 0; i < 4; ++i)
        clients.push_back(site.connect("c" + std::to_string(i) + ".test.example"));
    const auto asked = [&] {
        return std::count_if(clients.begin(), clients.end(), [](const auto& client) {
            return !client->messages().empty();
        });
    };
    const auto begin = std::chrono::steady_clock::now();
    site.shard().release(10);
    ASSERT_TRUE(site.until([&] { return asked() == 1; }));
    ASSERT_TRUE(site.until([&] { return asked() == 4; }));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 300ms);
    const auto status = site.shard().release_status();
    EXPECT_EQ(status.state, State::running);
    EXPECT_EQ(status.released, 0u);
}

TEST(Release, WhatIsOnItsWayIsAnsweredBeforeTheFin) {
    Site site(1);
    auto client = site.connect();
    for (std::uint32_t i = 0; i < 10; ++i) client->send(make_ccr("s", i, i));
    ASSERT_TRUE(site.until_requests(site.blade(1), 10));
    site.shard().release(1'000);
    ASSERT_TRUE(site.until_messages(*client, 1));
    const auto dpr = *client->take();
    // It had written these before it read the DPR.
    for (std::uint32_t i = 10; i < 20; ++i) client->send(make_ccr("s", i, i));
    client->send(make_dpa(dpr));
    ASSERT_TRUE(site.until_requests(site.blade(1), 20));
    site.run_for(20ms);
    EXPECT_FALSE(client->at_end());
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 20));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client->take()->result(), 2001u);
    EXPECT_TRUE(site.until([&] { return client->at_end(); }));
}

TEST(Release, AClientThatDoesNotAnswerIsServedMeanwhileAndClosedInTheEnd) {
    Site site(1);
    site.blade(1).answer_by_itself(true);
    auto client = site.connect();
    const auto begin = std::chrono::steady_clock::now();
    site.shard().release(1'000);
    ASSERT_TRUE(site.until_messages(*client, 1));
    site.run_for(2'000ms);
    client->send(make_ccr("s", 1, 1));
    ASSERT_TRUE(site.until_messages(*client, 2));
    EXPECT_EQ(client->messages().back().result(), 2001u);
    EXPECT_FALSE(client->at_end());
    ASSERT_TRUE(site.until([&] { return client->at_end(); }));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, Release::kClientGrace);
}

TEST(Release, StopLeavesTheOthersInPeace) {
    Site site(1);
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    site.shard().release(0.5);
    ASSERT_TRUE(site.until_messages(*a, 1));
    site.shard().stop_release();
    leave(site, *a);
    ASSERT_TRUE(site.until([&] { return site.shard().release_status().released == 1; }));
    EXPECT_TRUE(b->messages().empty());
    EXPECT_EQ(site.shard().release_status().state, State::stopped);
    EXPECT_EQ(site.shard().release_status().total, 2u);
}

TEST(Release, ClientsThatLeaveByThemselvesCountToo) {
    Site site(1);
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    site.shard().release(0.5);
    ASSERT_TRUE(site.until_messages(*a, 1));
    site.forget(*b);
    b.reset();
    leave(site, *a);
    ASSERT_TRUE(site.until([&] { return site.shard().release_status().state == State::done; }));
    EXPECT_EQ(site.shard().release_status().released, 2u);
}

TEST(Release, WithoutClientsItIsDoneAtOnce) {
    Site site(1);
    EXPECT_EQ(site.shard().release_status().state, State::idle);
    site.shard().release(5);
    EXPECT_EQ(site.shard().release_status().state, State::done);
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
