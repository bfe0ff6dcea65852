// SPDX-License-Identifier: Apache-2.0
// Links: how they begin, how they end, and what reload and drain do to them (S-T1, S-T2, S-T13,
// S-T14).
#include "slb/proxy/shard.hpp"

#include <set>

#include "base/text/text.hpp"
#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

Bytes hex(const char* text) {
    return *base::text::from_hex(text);
}

Bytes make_dpr(dia::DisconnectCause cause) {
    Bytes out;
    dia::build_dpr(out, identity("c.test.example"), cause, 0x55, 0x66);
    return out;
}

TEST(Shard, UnknownPeersAreRefusedWith3010) {
    Site site(1, [](Settings& settings) { settings.client_hosts = {"*.test.example"}; });
    auto stranger = site.connect_raw();
    stranger->send(make_cer(identity("c.evil.example")));
    ASSERT_TRUE(site.until_messages(*stranger, 1));
    EXPECT_EQ(stranger->take()->result(), 3010u);
    ASSERT_TRUE(site.until([&] { return stranger->at_end(); }));
    stranger->close();
    EXPECT_EQ(site.counters().peers_refused, 1u);
    auto friendly = site.connect("c.test.example");
    EXPECT_TRUE(site.until([&] { return site.shard().status().clients == 1; }));
}

TEST(Shard, NoCommonApplicationIs5010) {
    Site site(1, [](Settings& settings) { settings.applications = {4}; });
    auto client = site.connect_raw();
    auto self = identity("c.test.example");
    self.auth_applications = {1, 3};
    client->send(make_cer(self));
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->result(), 5010u);
    EXPECT_TRUE(site.until([&] { return client->at_end(); }));
}

// S-T1 and S-T2, on an open link.
TEST(Shard, BadFramesAreAnswered5015AndOnlyThatLinkCloses) {
    Site site(1);
    site.blade(1).answer_by_itself(true);
    auto bystander = site.connect("d.test.example");
    for (const auto* bad :
         {"01000005800001010000000011111111"
          "22222222",
          "0100001f80000118000000000000000100000002000001084000000b632e7800"}) {
        auto client = site.connect();
        client->send(hex(bad));
        ASSERT_TRUE(site.until_messages(*client, 1));
        EXPECT_EQ(client->take()->result(), 5015u);
        ASSERT_TRUE(site.until([&] { return client->at_end(); }));
        site.forget(*client);
    }
    EXPECT_EQ(site.counters().bad_streams, 2u);
    bystander->send(make_ccr("c;1;1", 1, 2));
    ASSERT_TRUE(site.until_messages(*bystander, 1));
    EXPECT_EQ(bystander->take()->result(), 2001u);
}

TEST(Shard, ConnectionsBeyondTheLimitAreClosed) {
    Site site(1, [](Settings& settings) { settings.max_connections = 2; });
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    auto c = site.connect_raw();
    ASSERT_TRUE(site.until([&] { return c->at_end(); }));
    EXPECT_EQ(site.counters().connections_refused, 1u);
    site.forget(*a);
    a.reset();
    ASSERT_TRUE(site.until([&] { return site.shard().status().clients == 1; }));
    auto d = site.connect("d.test.example");
}

// S-T14, first part.
TEST(Shard, LeavingClientGetsItsAnswersAndThenTheDpaBeforeTheFin) {
    Site site(1);
    auto client = site.connect();
    auto other = site.connect("d.test.example");
    for (std::uint32_t i = 0; i < 20; ++i) client->send(make_ccr("s", i, i));
    other->send(make_ccr("t", 1, 1));
    ASSERT_TRUE(site.until_requests(site.blade(1), 21));
    client->send(make_dpr(dia::DisconnectCause::do_not_want_to_talk));
    site.run_for(10ms);
    EXPECT_TRUE(client->messages().empty()) << "the DPA would make it close";
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 21));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client->take()->result(), 2001u);
    const auto dpa = *client->take();
    EXPECT_EQ(dpa.command(), dia::command::kDisconnectPeer);
    EXPECT_EQ(dpa.hop_by_hop(), 0x55u);
    EXPECT_EQ(dpa.result(), 2001u);
    EXPECT_TRUE(site.until_messages(*other, 1));
}

TEST(Shard, GraceEndsTheWaitForALeavingClientsAnswers) {
    Site site(1, [](Settings& settings) { settings.request_timeout = 5'000ms; });
    auto client = site.connect();
    client->send(make_ccr("s", 1, 1));
    ASSERT_TRUE(site.until_requests(site.blade(1), 1));
    client->send(make_dpr(dia::DisconnectCause::rebooting));
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->command(), dia::command::kDisconnectPeer);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
    ASSERT_TRUE(site.until([&] { return client->at_end(); }));
}

// S-T14, second part.
TEST(Shard, LeavingBladeFinishesItsWorkAndIsDialledAgain) {
    Site site(2, [](Settings& settings) { settings.balance = "round_robin"; });
    auto client = site.connect();
    for (std::uint32_t i = 0; i < 20; ++i) client->send(make_ccr("s" + std::to_string(i), i, i));
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() == 10 && site.blade(2).requests().size() == 10;
    }));
    site.blade(1).send_dpr(dia::DisconnectCause::rebooting);
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "disconnecting"; }));
    // New work goes to the other blade, even of sessions that live at the leaving one.
    for (std::uint32_t i = 0; i < 20; ++i) client->send(make_ccr("s" + std::to_string(i), i, i));
    ASSERT_TRUE(site.until_requests(site.blade(2), 30));
    EXPECT_TRUE(site.blade(1).others().empty()) << "no DPA while requests are pending";
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until([&] { return site.blade(1).others().size() == 1; }));
    EXPECT_EQ(site.blade(1).others().front().command(), dia::command::kDisconnectPeer);
    site.blade(2).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 40));
    EXPECT_EQ(site.status(1).counters.resent_from, 0u);
    site.blade(1).wire().close();
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 2; })) << "REBOOTING: soon again";
}

TEST(Shard, ABusyBladeIsNotDialledAgainSoon) {
    Site site(1, [](Settings& settings) {
        settings.reconnect_min = 1ms;
        settings.reconnect_max = 2'000ms;
    });
    site.blade(1).send_dpr(dia::DisconnectCause::busy);
    ASSERT_TRUE(site.until([&] { return !site.blade(1).others().empty(); }));
    site.blade(1).wire().close();
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "down"; }));
    site.run_for(300ms);
    EXPECT_EQ(site.status(1).link, "down");
    EXPECT_TRUE(site.until([&] { return site.open_blades() == 1; }));
}

TEST(Shard, DrainSaysGoodByeAndAnswersWhatIsPending) {
    Site site(2);
    auto client = site.connect();
    for (std::uint32_t i = 0; i < 20; ++i) client->send(make_ccr("s" + std::to_string(i), i, i));
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() + site.blade(2).requests().size() == 20;
    }));
    bool drained = false;
    site.shard().drain([&] { drained = true; });
    ASSERT_TRUE(site.until_messages(*client, 1));
    const auto dpr = *client->take();
    EXPECT_EQ(dpr.command(), dia::command::kDisconnectPeer);
    ASSERT_TRUE(dpr.header().is_request());
    Bytes dpa;
    dia::build_dpa(dpa, identity("c.test.example"), dpr.header());
    client->send(dpa);
    site.run_for(20ms);
    EXPECT_FALSE(client->at_end());
    for (auto& blade : site.blades()) blade->answer_all();
    ASSERT_TRUE(site.until_messages(*client, 20));
    ASSERT_TRUE(site.until([&] { return client->at_end(); }));
    site.forget(*client);
    client.reset();
    ASSERT_TRUE(site.until([&] { return !site.blade(1).others().empty(); }));
    for (auto& blade : site.blades()) {
        ASSERT_FALSE(blade->others().empty());
        EXPECT_EQ(blade->others().front().command(), dia::command::kDisconnectPeer);
        blade->kill();
    }
    EXPECT_TRUE(site.until([&] { return drained; }));
}

TEST(Shard, AClientAcceptedWhileTheDrainBeginsDoesNotHoldItUp) {
    Site site(1);
    auto late = site.connect_raw();  // made, but not accepted yet
    bool drained = false;
    site.shard().drain([&] { drained = true; });
    ASSERT_TRUE(site.until([&] {
        if (!site.blade(1).others().empty()) site.blade(1).kill();
        return drained;
    }));
    EXPECT_EQ(site.counters().connections, 0u);
}

TEST(Shard, AListenerOnTheIpv6WildcardLeavesIpv4ToAnother) {
    const auto v6 = open_listener(*base::net::parse_endpoint("[::]:0"));
    if (!v6) GTEST_SKIP() << "no IPv6 here: " << v6.error().message();
    const auto port = local_endpoint(v6->number())->port;
    const auto v4 = open_listener({*base::text::parse_ip("0.0.0.0"), port});
    EXPECT_TRUE(v4) << v4.error().message();
}

TEST(Shard, ReloadKeepsClientsAndUnchangedBlades) {
    Site site(3);
    for (auto& blade : site.blades()) blade->answer_by_itself(true);
    auto client = site.connect();
    auto fewer = site.settings();
    fewer.blades.pop_back();
    std::uint32_t sent = 0;
    for (int i = 0; i < 500; ++i) {
        for (int n = 0; n < 4; ++n, ++sent)
            client->send(make_ccr("s;" + std::to_string(sent % 97), sent, sent));
        ASSERT_TRUE(site.shard().use(i % 2 == 0 ? fewer : site.settings()));
        site.step();
    }
    ASSERT_TRUE(site.until_messages(*client, sent));
    std::set<std::uint32_t> seen;
    for (const auto& answer : client->messages()) {
        EXPECT_EQ(answer.result(), 2001u);
        seen.insert(answer.hop_by_hop());
    }
    EXPECT_EQ(seen.size(), sent);
    EXPECT_EQ(site.status(1).counters.connections, 1u);
    EXPECT_EQ(site.status(2).counters.connections, 1u);
    EXPECT_EQ(site.counters().connections, 1u);
}

TEST(Shard, DrainingBladeKeepsItsSessionsAndGetsNoNewOnes) {
    Site site(2);
    for (auto& blade : site.blades()) blade->answer_by_itself(true);
    auto client = site.connect();
    const auto ask = [&](const std::string& session) {
        client->send(make_ccr(session, 1, 1));
        EXPECT_TRUE(site.until_messages(*client, 1));
        return client->take()->text(dia::avp::kOriginHost);
    };
    std::map<std::string, std::string> homes;
    for (int i = 0; i < 40; ++i) homes["s" + std::to_string(i)] = ask("s" + std::to_string(i));
    auto draining = site.settings();
    draining.blades[0].draining = true;
    ASSERT_TRUE(site.shard().use(draining));
    const auto before = site.status(1).sessions;
    ASSERT_GT(before, 0u);
    for (const auto& [session, home] : homes) EXPECT_EQ(ask(session), home);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(ask("new" + std::to_string(i)), "b2.test.example");
    EXPECT_EQ(site.status(1).sessions, before);
    ASSERT_TRUE(site.shard().use(site.settings()));
    std::set<std::string> used;
    for (int i = 0; i < 40; ++i) used.insert(ask("newer" + std::to_string(i)));
    EXPECT_EQ(used.size(), 2u);
}

TEST(Shard, RemovedBladeFinishesItsPendingRequestsFirst) {
    Site site(2, [](Settings& settings) { settings.balance = "round_robin"; });
    auto client = site.connect();
    client->send(make_ccr("s1", 1, 1));
    client->send(make_ccr("s2", 2, 2));
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() == 1 && site.blade(2).requests().size() == 1;
    }));
    auto fewer = site.settings();
    fewer.blades.erase(fewer.blades.begin());
    ASSERT_TRUE(site.shard().use(fewer));
    EXPECT_EQ(site.shard().status().blades.size(), 1u);
    site.run_for(20ms);
    EXPECT_TRUE(site.blade(1).others().empty());
    site.blade(1).answer_all();
    site.blade(2).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 2));
    ASSERT_TRUE(site.until([&] { return !site.blade(1).others().empty(); }));
    EXPECT_EQ(site.blade(1).others().front().command(), dia::command::kDisconnectPeer);
    // Its session goes on at the blade that is left.
    site.blade(2).answer_by_itself(true);
    client->send(make_ccr("s1", 3, 3));
    ASSERT_TRUE(site.until_messages(*client, 3));
}

TEST(Shard, AClientThatDoesNotReadIsNotReadEither) {
    Site site(1, [](Settings& settings) { settings.request_timeout = 5'000ms; });
    site.blade(1).answer_by_itself(true);
    auto client = site.connect();
    client->mute(true);
    auto other = site.connect("d.test.example");
    std::uint32_t sent = 0;
    const std::string long_session(4'000, 's');  // the answers repeat it
    while (!client->unsent() && sent < 20'000) {
        client->send(make_ccr(long_session, sent, sent));
        ++sent;
        site.step();
    }
    EXPECT_TRUE(client->unsent()) << "back-pressure must reach the client";
    other->send(make_ccr("t", 1, 1));
    EXPECT_TRUE(site.until_messages(*other, 1));
}

TEST(Shard, CallRunsInTheShardsThread) {
    Settings settings;
    settings.host = "slb.x";
    settings.realm = "x";
    Shard shard(settings, 1);
    shard.start();
    const auto here = std::this_thread::get_id();
    EXPECT_NE(shard.call([] { return std::this_thread::get_id(); }), here);
    EXPECT_EQ(shard.call([&] { return shard.status().blades.size(); }), 0u);
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
