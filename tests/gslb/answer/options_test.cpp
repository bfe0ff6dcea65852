// SPDX-License-Identifier: Apache-2.0
// Options of EDNS, class CHAOS and the outcome of a query: RFC 5001, 7828, 7873, 8914, 9018, 4892.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text/ip.hpp"
#include "gslb/answer/answer.hpp"
#include "tests/gslb/answer/server_fixture.hpp"
#include "wire/dns/cookie.hpp"

namespace twinsite::gslb::answer {
namespace {

using tests::Bytes;
using tests::Question;
using tests::Reply;

constexpr std::uint8_t kNsid = 3;
constexpr std::uint8_t kCookie = 10;
constexpr std::uint8_t kKeepalive = 11;
constexpr std::uint8_t kExtendedError = 15;

Bytes option(std::uint8_t code, const Bytes& data = {}) {
    Bytes out{0, code, 0, static_cast<std::uint8_t>(data.size())};
    out.insert(out.end(), data.begin(), data.end());
    return out;
}

Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

Question with(const Bytes& options, std::string name = "ns1.t.example") {
    Question out{std::move(name)};
    out.udp_payload = 1232;
    out.options = options;
    return out;
}

const Bytes kClient{1, 2, 3, 4, 5, 6, 7, 8};

struct Options : testing::Test {
    Options() {
        server.conduct.emplace();
        server.conduct->cookie_secrets.current[0] = 7;
        server.conduct->nsid = {'n', 's', '1'};
    }
    /// The full cookie of a reply.
    Bytes cookie_of(const Reply& reply) {
        const Bytes& all = reply.options;
        if (all.size() != 28 || all[1] != kCookie || all[3] != 24) return {};
        return {all.begin() + 4, all.end()};
    }
    ServerFixture server{
        "many.t.example. 60 TXT \"" + std::string(200, 'x') + "\" \"" + std::string(200, 'y') +
        "\"\n"
    };
};

TEST_F(Options, FirstCookieIsAnsweredAndTheSecondIsValid) {
    const Bytes cookie = cookie_of(server.ask(with(option(kCookie, kClient))));
    ASSERT_EQ(cookie.size(), 24u);
    EXPECT_EQ(Bytes(cookie.begin(), cookie.begin() + 8), kClient);
    EXPECT_FALSE(server.outcome.cookie_valid);
    server.now_s += 100;
    const Bytes next = cookie_of(server.ask(with(option(kCookie, cookie))));
    EXPECT_TRUE(server.outcome.cookie_valid);
    EXPECT_NE(next, cookie) << "each reply has a fresh one";
    EXPECT_EQ(server.counters.cookie.value(), 2u);
    EXPECT_EQ(server.counters.cookie_valid.value(), 1u);
}

TEST_F(Options, CookieOfAnotherClientOrAnOldOneIsAnsweredButNotValid) {
    const Bytes cookie = cookie_of(server.ask(with(option(kCookie, kClient))));
    server.source = *base::text::parse_ip("192.0.2.54");
    EXPECT_EQ(server.ask(with(option(kCookie, cookie))).answer.size(), 1u);
    EXPECT_FALSE(server.outcome.cookie_valid);
    server.source = *base::text::parse_ip("192.0.2.53");
    server.now_s += 3601;
    EXPECT_EQ(cookie_of(server.ask(with(option(kCookie, cookie)))).size(), 24u);
    EXPECT_FALSE(server.outcome.cookie_valid);
}

TEST_F(Options, CookieOfTheOtherSecretStaysValidThroughARollOver) {
    const Bytes before = cookie_of(server.ask(with(option(kCookie, kClient))));
    auto& secrets = server.conduct->cookie_secrets;
    secrets.other = secrets.current;
    secrets.current[0] = 8;
    const Bytes after = cookie_of(server.ask(with(option(kCookie, before))));
    EXPECT_TRUE(server.outcome.cookie_valid);
    secrets.other.reset();
    server.ask(with(option(kCookie, before)));
    EXPECT_FALSE(server.outcome.cookie_valid);
    server.ask(with(option(kCookie, after)));
    EXPECT_TRUE(server.outcome.cookie_valid);
}

TEST_F(Options, CookieOfAnImpossibleLengthIsFormErrWithoutOptions) {
    for (const std::size_t size : {0, 7, 9, 15, 41}) {
        const Reply reply = server.ask(with(option(kCookie, Bytes(size))));
        EXPECT_EQ(reply.rcode, "FORMERR") << size;
        EXPECT_TRUE(reply.has_opt && reply.options.empty()) << size;
    }
    EXPECT_EQ(server.ask(with(option(kCookie, Bytes(40)))).rcode, "NOERROR");
}

TEST_F(Options, CookiesCanBeSwitchedOff) {
    server.conduct->cookies = false;
    EXPECT_TRUE(server.ask(with(option(kCookie, kClient))).options.empty());
}

TEST_F(Options, NsidIsToldWhenAsked) {
    EXPECT_EQ(server.ask(with(option(kNsid))).options, option(kNsid, {'n', 's', '1'}));
    EXPECT_TRUE(server.ask(with({})).options.empty());
    server.conduct->nsid.clear();
    EXPECT_TRUE(server.ask(with(option(kNsid))).options.empty());
}

TEST_F(Options, KeepaliveIsToldOverTcpOnly) {
    EXPECT_TRUE(server.ask(with(option(kKeepalive))).options.empty());
    server.transport = Transport::tcp;
    server.conduct->keepalive_100ms = 300;
    EXPECT_EQ(server.ask(with(option(kKeepalive))).options, option(kKeepalive, {1, 44}));
    EXPECT_EQ(server.ask(with(option(kKeepalive, {0, 1}))).rcode, "FORMERR");
}

TEST_F(Options, AllOptionsAndTheSubnetStandTogetherAndUnknownOnesDoNotCount) {
    server.transport = Transport::tcp;
    const Bytes unknown = Bytes{0xff, 0xe9, 0, 2, 9, 9};
    auto question = with_subnet("10.1.9.0/24");
    const Bytes subnet = question.options;
    question.options = option(kKeepalive) + unknown + subnet + option(kNsid) + unknown;
    const Reply reply = server.ask(question);
    EXPECT_EQ(reply.options.size(), subnet.size() + 7 + 6);
    EXPECT_EQ(reply.scope, 21);
    EXPECT_EQ(reply.answer.size(), 1u);
    EXPECT_EQ(server.outcome.scope, 21);
    EXPECT_NE(server.outcome.steered, Outcome::kNone);
}

TEST_F(Options, ReplyWithOptionsFitsToTheByte) {
    // Header 12, question 20, record 12 + 402, OPT 11: 457. The NSID takes 7, the cookie 28.
    Question question = with(option(kNsid) + option(kCookie, kClient), "many.t.example");
    question.type = "TXT";
    question.udp_payload = 512;
    Reply reply = server.ask(question);
    EXPECT_EQ(reply.size_bytes, 457u + 7 + 28);
    EXPECT_EQ(reply.answer.size(), 1u);
    server.conduct->nsid.assign(23, 'n');
    reply = server.ask(question);
    EXPECT_EQ(reply.size_bytes, 512u);
    EXPECT_EQ(reply.answer.size(), 1u);
    server.conduct->nsid.push_back('n');
    reply = server.ask(question);
    EXPECT_TRUE(reply.flags & 0x0200) << "truncated";
    EXPECT_EQ(reply.options.size(), 28u + 28) << "the options stay";
}

TEST_F(Options, ReasonsAreTold) {
    const auto reason = [&](const Question& question) { return server.ask(question).options; };
    EXPECT_EQ(reason(with({}, "www.elsewhere.test")), option(kExtendedError, {0, 20}));
    Question transfer = with({}, "t.example");
    transfer.type = "AXFR";
    EXPECT_EQ(reason(transfer), option(kExtendedError, {0, 18}));
    Question hesiod = with({});
    hesiod.klass = 4;
    EXPECT_EQ(reason(hesiod), option(kExtendedError, {0, 21}));
    EXPECT_FALSE(server.ask({"www.elsewhere.test"}).has_opt) << "only to those who can read it";
    server.conduct->extended_errors = false;
    EXPECT_TRUE(reason(with({}, "www.elsewhere.test")).empty());
}

TEST_F(Options, ChaosTellsWhatIsConfigured) {
    const auto ask = [&](std::string name, std::string type = "TXT") {
        Question question{std::move(name), std::move(type)};
        question.klass = 3;
        return server.ask_raw(tests::make_query(question));
    };
    const auto ends_with = [](const Bytes& reply, const std::string& text) {
        return reply.size() > text.size() &&
               std::string(reply.end() - static_cast<std::ptrdiff_t>(text.size()), reply.end()) ==
                   text;
    };
    EXPECT_EQ(ask("version.bind")[3] & 0xf, 5) << "refused";
    server.conduct->chaos_version = "name server";
    server.conduct->chaos_id = "east-1";
    EXPECT_TRUE(ends_with(ask("version.bind"), "\13name server"));
    EXPECT_TRUE(ends_with(ask("VERSION.server"), "\13name server"));
    EXPECT_TRUE(ends_with(ask("id.server"), "\6east-1"));
    EXPECT_TRUE(ends_with(ask("hostname.Bind"), "\6east-1"));
    EXPECT_EQ(ask("version.bind", "A")[3] & 0xf, 0);
    EXPECT_EQ(ask("version.bind", "A")[7], 0) << "no data";
    EXPECT_EQ(ask("authors.bind")[3] & 0xf, 5);
    EXPECT_EQ(server.outcome.rcode, 5);
}

TEST_F(Options, OutcomeSaysWhatBecameOfAQuery) {
    using Kind = Outcome::Kind;
    server.ask({"ns1.t.example"});
    EXPECT_EQ(server.outcome.kind, Kind::answer);
    EXPECT_EQ(server.outcome.question_bytes, 19);
    EXPECT_EQ(server.outcome.steered, Outcome::kNone);
    server.ask({"ns1.t.example", "AAAA"});
    EXPECT_EQ(server.outcome.kind, Kind::no_data);
    server.ask({"nowhere.t.example"});
    EXPECT_EQ(server.outcome.kind, Kind::name_error);
    server.ask({"host.sub.t.example"});
    EXPECT_EQ(server.outcome.kind, Kind::referral);
    server.ask({"elsewhere.test"});
    EXPECT_EQ(server.outcome.kind, Kind::error);
    server.ask_raw(Bytes(11));
    EXPECT_EQ(server.outcome.kind, Kind::none);
}

TEST_F(Options, WhatMayBeForTransfersIsHandedOverUncounted) {
    server.hand_over = true;
    Question transfer{"t.example", "AXFR"};
    EXPECT_TRUE(server.ask_raw(tests::make_query(transfer)).empty());
    EXPECT_TRUE(server.outcome.handed_over);
    Bytes notify = tests::make_query({"t.example", "SOA"});
    notify[2] = 4 << 3;
    EXPECT_TRUE(server.ask_raw(notify).empty());
    Bytes signed_query = tests::make_query({"t.example", "SOA"});
    signed_query[11] = 1;
    for (const std::uint8_t byte : {0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 0})
        signed_query.push_back(byte);
    EXPECT_TRUE(server.ask_raw(signed_query).empty());
    EXPECT_TRUE(server.outcome.handed_over);
    EXPECT_EQ(server.counters.udp.value(), 0u);
    EXPECT_EQ(server.ask({"ns1.t.example"}).answer.size(), 1u);
    EXPECT_FALSE(server.outcome.handed_over);
}

}  // namespace
}  // namespace twinsite::gslb::answer
