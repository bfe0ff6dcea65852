// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/peer.hpp"

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"
#include "wire/diameter/builder.hpp"
#include "wire/diameter/framer.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::hex;
using test::slb;
using namespace std::chrono_literals;

Identity blade(std::uint32_t state_id = 1) {
    Identity self;
    self.host = "b1.x";
    self.realm = "x";
    self.state_id = state_id;
    self.addresses = {base::text::IpAddress::from_v4(0x7f00011f)};
    self.auth_applications = {4};
    return self;
}

PeerConfig initiator() {
    PeerConfig config;
    config.role = Role::initiator;
    return config;
}

// One peer with its clock.
struct Link {
    explicit Link(Identity self, PeerConfig config, std::uint32_t random = 0)
        : peer(std::move(self), std::move(config), [random] { return random; }) {}
    void step(const Event& event) { peer.step(event, now, out); }
    void receive(const Bytes& message) { step(Event::message(message)); }
    void fire() {
        now = peer.timer().at;
        step(Event::timer(peer.timer().generation));
    }
    std::vector<Bytes> sent() const {
        Framer framer;
        framer.feed(out.send);
        std::vector<Bytes> messages;
        while (const auto one = framer.next()) messages.emplace_back(one->begin(), one->end());
        EXPECT_EQ(framer.buffered_bytes(), 0U);
        return messages;
    }
    std::uint32_t sent_result() const {
        return find_avp(out.send, avp::kResultCode).value().u32().value();
    }
    std::uint32_t sent_command() const { return HeaderView(out.send).command(); }

    Peer peer;
    Time now{1h};
    Actions out;
};

Bytes cer(const Identity& from) {
    Bytes out;
    build_cer(out, from, 11, 22);
    return out;
}
Bytes cea(const Identity& from, std::uint32_t code = 2001) {
    Bytes out;
    build_cea(out, from, HeaderView(cer(from)), code);
    return out;
}
Bytes dwa() {
    Bytes dwr;
    build_dwr(dwr, blade(), 1, 1);
    Bytes out;
    build_dwa(out, blade(), HeaderView(dwr));
    return out;
}

Link open_initiator(PeerConfig config = initiator(), std::uint32_t random = 0) {
    Link link(slb(), std::move(config), random);
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade()));
    EXPECT_TRUE(link.out.opened);
    return link;
}

Link accepted(Identity self, PeerConfig config = {}) {
    Link link(std::move(self), std::move(config));
    link.step(Event::transport_up());
    return link;
}

TEST(Peer, TwoOfThemOpenWatchAndPartFromEachOther) {
    Link client(blade(), initiator());
    Link server = accepted(slb());
    client.step(Event::start());
    EXPECT_TRUE(client.out.connect);
    client.step(Event::transport_up());
    server.receive(client.sent().at(0));
    EXPECT_TRUE(server.out.opened);
    EXPECT_EQ(server.peer.capabilities().host, "b1.x");
    client.receive(server.sent().at(0));
    EXPECT_TRUE(client.out.opened);
    EXPECT_EQ(client.peer.capabilities().host, "slb.x");
    client.fire();
    server.receive(client.sent().at(0));
    client.receive(server.sent().at(0));
    EXPECT_TRUE(client.peer.is_open());
    server.step(Event::stop(DisconnectCause::rebooting));
    client.receive(server.sent().at(0));
    EXPECT_TRUE(client.out.peer_leaving);
    server.receive(client.sent().at(0));
    EXPECT_TRUE(server.out.close);
    EXPECT_EQ(server.peer.down_cause(), DownCause::stopped);
    client.step(Event::transport_lost());
    EXPECT_TRUE(client.out.down);
    EXPECT_EQ(client.peer.down_cause(), DownCause::peer_rebooting);
}

TEST(Peer, AnnouncesTheAddressOfTheSocketWhenNoneIsConfigured) {
    auto self = slb();
    self.addresses.clear();
    Link again(self, {});
    again.step(Event::transport_up(base::text::IpAddress::from_v4(0x7f000115)));
    again.receive(cer(blade()));
    EXPECT_EQ(test::to_hex(find_avp(again.out.send, avp::kHostIpAddress)->data), "00017f000115");
}

TEST(Peer, RefusesAPeerWithoutACommonApplication) {
    auto self = slb();
    self.auth_applications = {4};
    auto other = blade();
    other.auth_applications = {1};
    Link link = accepted(self);
    link.receive(cer(other));
    EXPECT_EQ(link.sent_result(), 5010U);
    EXPECT_TRUE(link.out.close);
    EXPECT_EQ(link.peer.down_cause(), DownCause::refused);
    EXPECT_EQ(link.peer.refusal(), 5010U);
}

TEST(Peer, RefusesAnUnknownPeerWithTheErrorBit) {
    PeerConfig config;
    config.admit = admit_hosts({"ne1.access.example.net", "*.trusted.example.net"});
    Link link = accepted(slb(), config);
    link.receive(cer(blade()));
    EXPECT_EQ(link.sent_result(), 3010U);
    EXPECT_TRUE(HeaderView(link.out.send).is_error());
    EXPECT_TRUE(link.out.close);
    auto friendly = blade();
    friendly.host = "NE7.Trusted.Example.net";
    Link welcome = accepted(slb(), config);
    welcome.receive(cer(friendly));
    EXPECT_EQ(welcome.sent_result(), 2001U);
}

TEST(AdmitHosts, KnowsExactNamesAndSuffixes) {
    const auto verdict = [](std::vector<std::string> patterns, std::string host) {
        Capabilities theirs;
        theirs.host = std::move(host);
        return admit_hosts(std::move(patterns))(theirs);
    };
    EXPECT_EQ(verdict({}, "any"), 2001U);
    EXPECT_EQ(verdict({"a.x"}, "A.X"), 2001U);
    EXPECT_EQ(verdict({"a.x"}, "b.x"), 3010U);
    EXPECT_EQ(verdict({"*.x"}, "b.x"), 2001U);
    EXPECT_EQ(verdict({"*.x"}, "x"), 3010U);
    EXPECT_EQ(verdict({"*.x"}, ".x"), 3010U);
    EXPECT_EQ(verdict({"*.x"}, "bx"), 3010U);
}

TEST(Peer, LosesAnElectionWhenItsOwnerSaysSo) {
    PeerConfig config;
    config.admit = [](const Capabilities&) { return result::kElectionLost; };
    Link link = accepted(slb(), config);
    link.receive(cer(blade()));
    EXPECT_EQ(link.sent_result(), 4003U);
    EXPECT_TRUE(link.out.close);
}

TEST(Peer, FindsTheApplicationInAVendorSpecificGroupOfTwoVendors) {
    auto self = slb();
    self.auth_applications = {4};
    Bytes message;
    const auto group = hex(test::kTwoVendors);
    MessageBuilder builder(message, {0x80, 257, 0, 1, 2});
    builder.text(avp::kOriginHost, "c.x").text(avp::kOriginRealm, "x");
    message.insert(message.end(), group.begin(), group.end());
    builder.finish();
    Link link = accepted(self);
    link.receive(message);
    EXPECT_EQ(link.sent_result(), 2001U);
    EXPECT_TRUE(link.out.opened);
}

TEST(Peer, AnswersADamagedCerWithTheDefectAndCloses) {
    Bytes damaged = cer(blade());
    store_u24(damaged.data() + 25, 3);
    Link link = accepted(slb());
    link.receive(damaged);
    EXPECT_EQ(link.sent_result(), 5014U);
    EXPECT_EQ(test::to_hex(find_avp(link.out.send, avp::kFailedAvp)->data), "0000010840000008");
    EXPECT_TRUE(link.out.close);
}

TEST(Peer, SaysInvalidLengthOnAnOpenLinkAndNothingBefore) {
    const auto stream = hex(test::kLengthFive);
    Link early = accepted(slb());
    early.step(Event::bad_stream(Errc::bad_length, stream));
    EXPECT_TRUE(early.out.send.empty());
    EXPECT_TRUE(early.out.close);
    Link link = open_initiator();
    link.step(Event::bad_stream(Errc::bad_length, stream));
    EXPECT_EQ(link.sent_result(), 5015U);
    EXPECT_EQ(HeaderView(link.out.send).hop_by_hop(), 0x11111111U);
    EXPECT_EQ(HeaderView(link.out.send).end_to_end(), 0x22222222U);
    EXPECT_TRUE(link.out.close);
    EXPECT_EQ(link.peer.down_cause(), DownCause::bad_stream);
    Link cut = open_initiator();
    cut.step(Event::bad_stream(Errc::bad_version, hex("02000014")));
    EXPECT_TRUE(cut.out.send.empty()) << "no header to answer to";
    EXPECT_TRUE(cut.out.close);
}

TEST(Peer, AnswersWrongHeaderBitsAndStaysOpen) {
    Link link = open_initiator();
    link.receive(hex(test::kErrorBitInRequest));
    EXPECT_EQ(link.sent_result(), 3008U);
    EXPECT_EQ(find_session_id(link.out.send), "c;1;1");
    EXPECT_TRUE(link.peer.is_open());
    Bytes answer = hex(test::kErrorBitInRequest);
    answer[4] = 0x50;
    link.receive(answer);
    EXPECT_TRUE(link.out.send.empty()) << "answers are never answered";
}

TEST(Peer, TreatsAnErrorCeaAsARefusal) {
    Link link(slb(), initiator());
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade(), 3010));
    EXPECT_TRUE(link.out.close);
    EXPECT_EQ(link.peer.refusal(), 3010U);
    EXPECT_EQ(redial_rule(link.peer.down_cause()), RedialRule::back_off);
}

TEST(Peer, NoticesThatARestartedPeerLostItsState) {
    Link link = open_initiator();
    EXPECT_FALSE(link.out.peer_restarted);
    const auto redial_to = [&link](std::uint32_t state_id) {
        link.step(Event::transport_lost());
        link.step(Event::start());
        link.step(Event::transport_up());
        link.receive(cea(blade(state_id)));
        EXPECT_TRUE(link.out.opened);
        return link.out.peer_restarted;
    };
    EXPECT_FALSE(redial_to(1));
    EXPECT_TRUE(redial_to(2));
    EXPECT_FALSE(redial_to(2));
}

TEST(Peer, NoticesLostStateAlsoWhenThePeerWasLostBySilence) {
    Link link = open_initiator();
    while (!link.out.down) link.fire();
    ASSERT_EQ(link.peer.down_cause(), DownCause::silent);
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade(2)));
    ASSERT_EQ(link.peer.state(), PeerState::reopen);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(link.out.opened);
        link.receive(dwa());
    }
    EXPECT_TRUE(link.out.opened);
    EXPECT_TRUE(link.out.peer_restarted);
    link.step(Event::transport_lost());
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade(2)));
    EXPECT_TRUE(link.out.opened);
    EXPECT_FALSE(link.out.peer_restarted) << "told once";
}

TEST(Peer, RefusesALinkToItself) {
    auto self = slb();
    self.host = "SLB.x";
    Link answering = accepted(slb());
    answering.receive(cer(self));
    EXPECT_EQ(answering.sent_result(), 3010U);
    EXPECT_TRUE(answering.out.close);
    Link asking(slb(), initiator());
    asking.step(Event::start());
    asking.step(Event::transport_up());
    asking.receive(cea(self));
    EXPECT_FALSE(asking.out.opened);
    EXPECT_EQ(asking.peer.refusal(), 3010U);
    EXPECT_EQ(asking.peer.down_cause(), DownCause::refused);
}

TEST(Peer, ShowsOneOriginStateIdInEveryMessage) {
    Link link = accepted(slb());
    link.receive(cer(blade()));
    EXPECT_EQ(find_avp(link.out.send, avp::kOriginStateId)->u32(), 7U);
    Bytes dwr;
    build_dwr(dwr, blade(), 1, 2);
    for (int i = 0; i < 1000; ++i) {
        link.now += 1s;
        link.receive(dwr);
        ASSERT_EQ(find_avp(link.out.send, avp::kOriginStateId)->u32(), 7U);
    }
}

// Watchdog, RFC 3539 -----------------------------------------------------------------------------

TEST(Watchdog, AsksAfterTwSuspectsAfterOneMissClosesAfterTheSecond) {
    auto config = initiator();
    config.watchdog = 6s;
    Link link = open_initiator(config);
    const Time opened = link.now;
    link.fire();
    EXPECT_EQ(link.now - opened, 4s) << "random 0 draws the shortest period, Tw - 2 s";
    EXPECT_EQ(link.sent_command(), command::kDeviceWatchdog);
    EXPECT_TRUE(link.peer.is_open());
    link.fire();
    EXPECT_EQ(link.now - opened, 10s);
    EXPECT_TRUE(link.out.suspected);
    EXPECT_TRUE(link.out.send.empty()) << "one DWR at a time";
    link.fire();
    EXPECT_TRUE(link.out.down);
    EXPECT_EQ(link.peer.down_cause(), DownCause::silent);
}

TEST(Watchdog, ItsOwnTimeOutMayBeShorterThanTw) {
    auto config = initiator();
    config.watchdog = 6s;
    config.dwa_timeout = 500ms;
    Link link = open_initiator(config);
    link.fire();
    const Time asked = link.now;
    link.fire();
    EXPECT_EQ(link.now - asked, 500ms);
    EXPECT_TRUE(link.out.suspected);
    link.fire();
    EXPECT_EQ(link.now - asked, 1s);
    EXPECT_TRUE(link.out.down);
}

TEST(Watchdog, PeriodsAreSpreadByTwoSeconds) {
    const auto period = [](std::chrono::milliseconds watchdog, std::uint32_t random) {
        auto config = initiator();
        config.watchdog = watchdog;
        Link link = open_initiator(config, random);
        return link.peer.timer().at - link.now;
    };
    EXPECT_EQ(period(30s, 0), 28s);
    EXPECT_EQ(period(30s, 2000), 30s);
    EXPECT_EQ(period(30s, 4000), 32s);
    EXPECT_EQ(period(30s, 4001), 28s);
    EXPECT_EQ(period(300ms, 0), 200ms);
    EXPECT_EQ(period(300ms, 200), 400ms);
}

TEST(Watchdog, AnyTrafficCountsAsLife) {
    auto config = initiator();
    config.watchdog = 6s;
    Link link = open_initiator(config, 2000);
    for (int i = 0; i < 100; ++i) {
        link.now = link.peer.timer().at - 1s;
        link.peer.heard(link.now);
        const Time heard = link.now;
        link.fire();
        EXPECT_TRUE(link.out.send.empty());
        EXPECT_EQ(link.peer.timer().at, heard + 6s);
    }
    link.fire();
    EXPECT_EQ(link.sent_command(), command::kDeviceWatchdog);
    link.now += 1s;
    link.peer.heard(link.now);  // an answer to something else, and no DWA at all
    link.fire();
    EXPECT_FALSE(link.out.suspected);
    EXPECT_TRUE(link.peer.is_open());
}

TEST(Watchdog, ALateAnswerEndsTheSuspicion) {
    auto config = initiator();
    config.watchdog = 6s;
    Link link = open_initiator(config);
    link.step(Event::suspicion());
    EXPECT_TRUE(link.out.suspected);
    EXPECT_EQ(link.sent_command(), command::kDeviceWatchdog);
    link.now += 100ms;
    link.receive(dwa());
    EXPECT_TRUE(link.out.recovered);
    EXPECT_TRUE(link.peer.is_open());
    link.step(Event::suspicion());
    EXPECT_TRUE(link.peer.heard(link.now + 1ms));
    EXPECT_TRUE(link.peer.is_open());
    EXPECT_FALSE(link.peer.heard(link.now + 2ms));
}

TEST(Watchdog, ASuspectedPeerThatWasAskedAlreadyIsNotAskedTwice) {
    Link link = open_initiator();
    link.fire();
    EXPECT_EQ(link.sent().size(), 1U);
    link.step(Event::suspicion());
    EXPECT_TRUE(link.out.send.empty());
    EXPECT_TRUE(link.out.suspected);
}

TEST(Watchdog, ALinkLostBySilenceProvesItselfThreeTimes) {
    Link link = open_initiator();
    link.step(Event::suspicion());
    link.fire();
    EXPECT_EQ(link.peer.down_cause(), DownCause::silent);
    link.step(Event::start());
    link.step(Event::transport_failed());
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade()));
    EXPECT_FALSE(link.out.opened);
    EXPECT_EQ(link.peer.state(), PeerState::reopen);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(link.sent_command(), command::kDeviceWatchdog);
        link.receive(dwa());
        EXPECT_FALSE(link.out.opened);
    }
    link.receive(dwa());
    EXPECT_TRUE(link.out.opened);
    link.step(Event::transport_lost());
    link.step(Event::start());
    link.step(Event::transport_up());
    link.receive(cea(blade()));
    EXPECT_TRUE(link.out.opened) << "a lost connection alone is no such reason";
}

// Leaving ----------------------------------------------------------------------------------------

TEST(Peer, AnswersDprFirstLetsPendingAnswersComeThenCloses) {
    Link link = open_initiator();
    Bytes dpr;
    build_dpr(dpr, blade(), DisconnectCause::rebooting, 5, 6);
    link.receive(dpr);
    EXPECT_EQ(link.sent_command(), command::kDisconnectPeer);
    EXPECT_EQ(link.sent_result(), 2001U);
    EXPECT_FALSE(link.out.close);
    EXPECT_TRUE(link.out.peer_leaving);
    EXPECT_TRUE(link.peer.delivers(false));
    EXPECT_FALSE(link.peer.delivers(true));
    const Time left = link.now;
    link.fire();
    EXPECT_EQ(link.now - left, 1s);
    EXPECT_TRUE(link.out.close);
    EXPECT_EQ(link.peer.down_cause(), DownCause::peer_rebooting);
}

TEST(Peer, TheCauseOfADprDecidesWhenToDialAgain) {
    const auto rule_after = [](const Bytes& dpr) {
        Link link = open_initiator();
        link.receive(dpr);
        link.step(Event::transport_lost());
        return redial_rule(link.peer.down_cause());
    };
    const auto with_cause = [](DisconnectCause cause) {
        Bytes dpr;
        build_dpr(dpr, blade(), cause, 5, 6);
        return dpr;
    };
    EXPECT_EQ(rule_after(with_cause(DisconnectCause::rebooting)), RedialRule::back_off);
    EXPECT_EQ(rule_after(with_cause(DisconnectCause::busy)), RedialRule::later);
    EXPECT_EQ(rule_after(with_cause(DisconnectCause::do_not_want_to_talk)), RedialRule::later);
    EXPECT_EQ(rule_after(hex("01000014 8000011a 00000000 00000001 00000002")), RedialRule::back_off)
        << "no cause given";
}

TEST(Peer, StopSendsDprAndWaitsNoLongerThanTheGrace) {
    Link link = open_initiator();
    link.step(Event::stop(DisconnectCause::rebooting));
    EXPECT_EQ(find_avp(link.out.send, avp::kDisconnectCause)->u32(), 0U);
    const Time stopped = link.now;
    link.fire();
    EXPECT_EQ(link.now - stopped, 1s);
    EXPECT_TRUE(link.out.close);
    EXPECT_EQ(redial_rule(link.peer.down_cause()), RedialRule::never);
}

TEST(Peer, HasWordsForStatesAndCauses) {
    EXPECT_EQ(to_string(PeerState::open), "open");
    EXPECT_EQ(to_string(PeerState::reopen), "connecting");
    EXPECT_EQ(to_string(PeerState::departing), "disconnecting");
    EXPECT_EQ(to_string(DownCause::silent), "silent");
    EXPECT_EQ(to_string(DownCause::peer_does_not_want), "peer_does_not_want");
}

}  // namespace
}  // namespace twinsite::wire::diameter
