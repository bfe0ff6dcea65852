// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/relay.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/text/text.hpp"
#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

Bytes hex(const char* text) {
    return *base::text::from_hex(text);
}

Bytes concat(const std::vector<Bytes>& parts) {
    Bytes out;
    for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
}

TEST(Relay, ForwardsByteForByteButForTheHopByHopId) {
    Site site(1);
    auto client = site.connect();
    const auto ccr = make_ccr("c;1;1", 0x11111111, 0x22222222, 1);
    client->send(ccr);
    ASSERT_TRUE(site.until_requests(site.blade(1), 1));
    const auto got = site.blade(1).requests().front();
    EXPECT_FALSE(got.retransmitted());
    EXPECT_EQ(got.end_to_end(), 0x22222222u);
    auto same = got.bytes;
    dia::set_hop_by_hop(same.data(), 0x11111111);
    EXPECT_EQ(same, ccr);
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until_messages(*client, 1));
    const auto answer = *client->take();
    auto expected = make_answer(got, "b1.test.example");
    dia::set_hop_by_hop(expected.data(), 0x11111111);
    EXPECT_EQ(answer.bytes, expected);
    EXPECT_EQ(site.shard().status().pending, 0u);
}

// S-T5 and S-T7: padding that is not zero, and NUL in the Session-Id.
TEST(Relay, TakesAnyPaddingAndAnyBytesInTheSessionId) {
    Site site(2);
    auto client = site.connect();
    const auto odd_padding =
        hex("01000030c0000110000000040000000100000002000001074000000d633b313b31ffffff"
            "000001084000000b632e7800");
    const auto nul =
        hex("01000030c0000110000000040000000100000002000001074000000f0000633b313b3100"
            "000001084000000b632e7800");
    client->send(odd_padding);
    client->send(make_ccr("c;1;1", 5, 6));
    client->send(nul);
    client->send(nul);
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() + site.blade(2).requests().size() == 4;
    }));
    std::map<std::string, std::set<std::size_t>> homes;
    for (std::size_t i = 1; i <= 2; ++i)
        for (const auto& request : site.blade(i).requests()) homes[request.session()].insert(i);
    ASSERT_EQ(homes.size(), 2u);
    for (const auto& [session, where] : homes) EXPECT_EQ(where.size(), 1u) << session;
}

// S-T8: Session-Id as the second AVP, and none at all.
TEST(Relay, FindsTheSessionIdWhereverItStands) {
    Site site(2);
    auto client = site.connect();
    const auto second =
        hex("01000030c0000110000000040000000100000002000001084000000b632e7800"
            "000001074000000d633b313b31000000");
    for (int i = 0; i < 20; ++i) client->send(second);
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() + site.blade(2).requests().size() == 20;
    }));
    EXPECT_TRUE(site.blade(1).requests().empty() || site.blade(2).requests().empty());
    const auto none = hex("01000020c0000110000000040000000100000002000001084000000b632e7800");
    client->send(none);
    ASSERT_TRUE(site.until([&] { return site.counters().without_session == 1; }));
}

// S-T6
TEST(Relay, ForwardsWholeMessagesAtOnceAndTheRestWhenComplete) {
    Site site(1);
    auto client = site.connect();
    std::vector<Bytes> messages;
    for (std::uint32_t i = 0; i < 4; ++i) messages.push_back(make_ccr("c;1;1", i, 100 + i));
    const auto stream = concat(messages);
    const auto whole = stream.size() - messages[3].size();
    for (std::size_t extra = 1; extra < 48; extra += 7) {
        client->send(std::span(stream).first(whole + extra));
        ASSERT_TRUE(site.until_requests(site.blade(1), 3));
        for (auto i = whole + extra; i < stream.size(); ++i) {
            EXPECT_EQ(site.blade(1).requests().size(), 3u);
            client->send(std::span(stream).subspan(i, 1));
            site.step();
        }
        ASSERT_TRUE(site.until_requests(site.blade(1), 4));
        for (std::uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(site.blade(1).requests()[i].end_to_end(), 100 + i);
        site.blade(1).answer_all();
        ASSERT_TRUE(site.until_messages(*client, 4));
        client->messages().clear();
    }
}

// S-T9
TEST(Relay, EqualIdsOfTwoClientsDoNotMix) {
    Site site(1);
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    a->send(make_ccr("a;1;1", 1, 2));
    ASSERT_TRUE(site.until_requests(site.blade(1), 1));
    b->send(make_ccr("b;1;1", 1, 2));
    ASSERT_TRUE(site.until_requests(site.blade(1), 2));
    auto& requests = site.blade(1).requests();
    EXPECT_NE(requests[0].hop_by_hop(), requests[1].hop_by_hop());
    std::reverse(requests.begin(), requests.end());
    site.blade(1).answer_all();
    ASSERT_TRUE(site.until([&] { return a->messages().size() + b->messages().size() == 2; }));
    const auto to_a = *a->take();
    const auto to_b = *b->take();
    EXPECT_EQ(to_a.session(), "a;1;1");
    EXPECT_EQ(to_b.session(), "b;1;1");
    for (const auto& answer : {to_a, to_b}) {
        EXPECT_EQ(answer.hop_by_hop(), 1u);
        EXPECT_EQ(answer.end_to_end(), 2u);
    }
}

TEST(Relay, AnswersInAnyOrderFindTheirRequests) {
    Site site(2);
    auto client = site.connect();
    for (std::uint32_t i = 0; i < 500; ++i)
        client->send(make_ccr("c;" + std::to_string(i % 100), i, 1000 + i));
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() + site.blade(2).requests().size() == 500;
    }));
    std::mt19937 random(1);
    for (auto& blade : site.blades()) {
        std::shuffle(blade->requests().begin(), blade->requests().end(), random);
        blade->answer_all();
    }
    ASSERT_TRUE(site.until_messages(*client, 500));
    std::set<std::uint32_t> seen;
    for (const auto& answer : client->messages()) {
        EXPECT_EQ(answer.end_to_end(), 1000 + answer.hop_by_hop());
        EXPECT_EQ(answer.session(), "c;" + std::to_string(answer.hop_by_hop() % 100));
        seen.insert(answer.hop_by_hop());
    }
    EXPECT_EQ(seen.size(), 500u);
}

// S-T3 and S-T4, with the messages given there.
TEST(Relay, BadAvpLengthsAreAnswered5014AndTheLinkStays) {
    Site site(1);
    auto client = site.connect();
    client->send(
        hex("01000030c00001100000000400000001000000020000010840000000632e7800"
            "000001074000000d633b313b31000000")
    );
    client->send(
        hex("01000030c0000110000000040000000100000002000001074000000d633b313b31000000"
            "000001c0000008000028af00")
    );
    client->send(
        hex("01000030c0000110000000040000000100000002000001074000000d633b313b31000000"
            "000001c080000008000028af")
    );
    ASSERT_TRUE(site.until_messages(*client, 3));
    for (int i = 0; i < 3; ++i) {
        const auto answer = *client->take();
        EXPECT_EQ(answer.result(), 5014u);
        EXPECT_EQ(answer.hop_by_hop(), 1u);
        EXPECT_EQ(answer.end_to_end(), 2u);
        EXPECT_TRUE(dia::find_avp(answer.bytes, dia::avp::kFailedAvp));
    }
    client->send(make_ccr("c;1;1", 3, 4));
    EXPECT_TRUE(site.until_requests(site.blade(1), 1));
}

// S-T17: our own name in the last AVP.
TEST(Relay, LoopIsFoundInTheLastRouteRecord) {
    Site site(1);
    auto client = site.connect();
    auto ccr = make_ccr("c;1;1", 1, 2);
    const auto route_record = hex("0000011a4000000d736c622e78000000");
    ccr.insert(ccr.end(), route_record.begin(), route_record.end());
    dia::store_u24(ccr.data() + 1, static_cast<std::uint32_t>(ccr.size()));
    client->send(ccr);
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->result(), 3005u);
    EXPECT_TRUE(site.blade(1).requests().empty());
}

// S-T20
TEST(Relay, RequestWithTheErrorBitIsAnswered3008) {
    Site site(1);
    auto client = site.connect();
    client->send(hex("01000024e0000110000000040000000100000002000001074000000d633b313b31000000"));
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->result(), 3008u);
}

TEST(Relay, UnknownApplicationIsAnswered3007AndTheLinkStays) {
    Site site(1, [](Settings& settings) { settings.applications = {4}; });
    auto client = site.connect();
    auto other = make_ccr("c;1;1", 1, 2);
    dia::store_u32(other.data() + 8, 16777238);
    client->send(other);
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->result(), 3007u);
    client->send(make_ccr("c;1;1", 3, 4));
    EXPECT_TRUE(site.until_requests(site.blade(1), 1));
}

TEST(Relay, NoBladeIsAnswered3002) {
    Site site(1);
    auto client = site.connect();
    site.blade(1).kill();
    ASSERT_TRUE(site.until([&] { return site.open_blades() == 0; }));
    client->send(make_ccr("c;1;1", 1, 2));
    ASSERT_TRUE(site.until_messages(*client, 1));
    const auto answer = *client->take();
    EXPECT_EQ(answer.result(), 3002u);
    EXPECT_TRUE(answer.header().is_error());
    EXPECT_EQ(answer.session(), "c;1;1");
}

TEST(Relay, FullBladesAreAnswered3004) {
    Site site(2, [](Settings& settings) { settings.pending_per_blade = 3; });
    auto client = site.connect();
    for (std::uint32_t i = 0; i < 8; ++i) client->send(make_ccr("s;" + std::to_string(i), i, i));
    ASSERT_TRUE(site.until_messages(*client, 2));
    EXPECT_EQ(client->take()->result(), 3004u);
    EXPECT_EQ(client->take()->result(), 3004u);
    EXPECT_EQ(site.status(1).pending, 3u);
    EXPECT_EQ(site.status(2).pending, 3u);
    for (auto& blade : site.blades()) blade->answer_all();
    ASSERT_TRUE(site.until_messages(*client, 6));
    client->send(make_ccr("s;9", 9, 9));
    EXPECT_TRUE(site.until([&] { return site.shard().status().pending == 1; }));
}

// A2.10 to A2.12
TEST(Relay, SessionsStayWithTheirBladeWhicheverClientAsks) {
    Site site(2, [](Settings& settings) { settings.balance = "round_robin"; });
    auto a = site.connect("a.test.example");
    auto b = site.connect("b.test.example");
    for (auto& blade : site.blades()) blade->answer_by_itself(true);
    const auto ask = [&](Wire& client, const std::string& session) {
        client.send(make_ccr(session, 1, 1));
        EXPECT_TRUE(site.until_messages(client, 1));
        return client.take()->text(dia::avp::kOriginHost);
    };
    const auto y = ask(*a, "y");
    const auto x = ask(*a, "x");
    EXPECT_NE(x, y);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(ask(*b, "y"), y);
        EXPECT_EQ(ask(*a, "x"), x);
    }
}

TEST(Relay, EndedSessionsLeaveTheTable) {
    Site site(1);
    site.blade(1).answer_by_itself(true);
    auto client = site.connect();
    client->send(make_ccr("s", 1, 1, 1));
    client->send(make_ccr("s", 2, 2, 2));
    client->send(make_ccr("event", 3, 3, 4));
    ASSERT_TRUE(site.until_messages(*client, 3));
    EXPECT_EQ(site.shard().status().sessions, 1u);
    client->send(make_ccr("s", 4, 4, 3));
    ASSERT_TRUE(site.until_messages(*client, 4));
    EXPECT_EQ(site.shard().status().sessions, 0u);
}

TEST(Relay, DestinationHostPlacesANewSession) {
    Site site(3);
    auto client = site.connect();
    for (int i = 0; i < 12; ++i) {
        Bytes ccr;
        dia::Header header;
        header.flags = dia::flag::kRequest | dia::flag::kProxiable;
        header.command = dia::command::kCreditControl;
        header.application = 4;
        dia::MessageBuilder(ccr, header)
            .text(dia::avp::kSessionId, "s;" + std::to_string(i))
            .text(dia::avp::kDestinationHost, "B2.test.example")
            .finish();
        client->send(ccr);
    }
    ASSERT_TRUE(site.until_requests(site.blade(2), 12));
    EXPECT_EQ(site.counters().hinted, 12u);
}

TEST(Relay, DestinationHostOpensNoSessionOnADrainingBlade) {
    Site site(2);
    auto client = site.connect();
    auto draining = site.settings();
    draining.blades[1].draining = true;
    ASSERT_TRUE(site.shard().use(draining));
    const auto ask = [&](const std::string& session, std::uint32_t type) {
        Bytes ccr;
        dia::Header header;
        header.flags = dia::flag::kRequest | dia::flag::kProxiable;
        header.command = dia::command::kCreditControl;
        header.application = 4;
        dia::MessageBuilder(ccr, header)
            .text(dia::avp::kSessionId, session)
            .text(dia::avp::kDestinationHost, "b2.test.example")
            .u32(dia::avp::kCcRequestType, type)
            .finish();
        client->send(ccr);
    };
    ask("initial", 1);
    ask("event", 4);
    ASSERT_TRUE(site.until_requests(site.blade(1), 2));
    EXPECT_EQ(site.blade(2).served(), 0u);
    // A session that we forgot, or never knew, but its client knows where it lives.
    ask("update", 2);
    ask("terminate", 3);
    ASSERT_TRUE(site.until_requests(site.blade(2), 2));
    EXPECT_EQ(site.blade(1).requests().size(), 2u);
}

TEST(Relay, VolumeFollowsTheAnswers) {
    Site site(2);
    auto client = site.connect();
    site.blade(1).answer_by_itself(true);
    // Blade 2 answers nothing: after its first few requests all others go to blade 1.
    for (int i = 0; i < 200; ++i) {
        client->send(make_ccr("s;" + std::to_string(i), 1, 1));
        site.step();
        site.step();
        site.step();
    }
    EXPECT_LT(site.blade(2).requests().size(), 20u);
    EXPECT_GT(site.blade(1).served(), 180u);
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
