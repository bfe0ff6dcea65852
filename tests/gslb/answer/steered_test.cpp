// SPDX-License-Identifier: Apache-2.0
// Answers that depend on client, health and chance: G-T1, G-T2, G-T5, G-T11, G-T12.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text/ip.hpp"
#include "gslb/answer/answer.hpp"
#include "tests/gslb/answer/server_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

using steering::Health;
using tests::Reply;
using Lines = std::vector<std::string>;

const std::string kIdc1 = "203.0.113.1";
const std::string kIdc2 = "198.51.100.1";

Lines a(const std::string& address, int ttl = 30, const std::string& name = "www.t.example.") {
    return {name + " " + std::to_string(ttl) + " in a " + address};
}

struct Case {
    const char* subnet;
    std::string address;
    int scope;
};

TEST(Steered, ScopeIsTheWidestBlockWithTheSameAnswer) {
    ServerFixture server;
    const Case cases[] = {
        // G-T1
        {"10.1.9.0/24", kIdc1, 21},
        {"10.1.2.0/24", kIdc2, 24},
        {"10.1.3.0/24", kIdc1, 24},
        {"10.2.0.0/16", kIdc2, 15},
        {"192.0.2.0/24", kIdc2, 1},
        // G-T2: shorter than the leaf, decided by the address filled up with zeros
        {"10.1.0.0/16", kIdc1, 23},
        {"10.0.0.0/8", kIdc2, 16},
        {"10.1.2.77/32", kIdc2, 24},
        {"2001:db8:aa12::/48", kIdc1, 40},
        {"2001:db8:ab00::/40", kIdc2, 40},
        // mapped addresses are IPv4, their scope counts in 128 bits
    };
    for (const Case& one : cases) {
        const auto question = with_subnet(one.subnet);
        const Reply reply = server.ask(question);
        EXPECT_EQ(reply.rcode, "NOERROR");
        EXPECT_EQ(reply.answer, a(one.address)) << one.subnet;
        EXPECT_EQ(reply.scope, one.scope) << one.subnet;
        auto echoed = reply.options;
        ASSERT_EQ(echoed.size(), question.options.size());
        echoed[7] = 0;
        EXPECT_EQ(echoed, question.options) << "family, source length and address come back";
    }
}

TEST(Steered, MappedSubnetIsIpv4AndItsScopeCountsIn128Bits) {
    ServerFixture server;
    tests::Question question{"www.t.example"};
    question.udp_payload = 1232;
    question.options = {0, 8, 0, 19, 0, 2, 120,  0,    0,  0, 0, 0,
                        0, 0, 0, 0,  0, 0, 0xff, 0xff, 10, 1, 9};
    const Reply reply = server.ask(question);
    EXPECT_EQ(reply.answer, a(kIdc1));
    EXPECT_EQ(reply.scope, 96 + 21);
}

TEST(Steered, SourceLengthZeroMeansTheResolverDecides) {
    ServerFixture server;  // G-T2
    for (const char* subnet : {"0.0.0.0/0", "::/0"}) {
        server.source = base::text::parse_ip("10.1.9.9").value();
        Reply reply = server.ask(with_subnet(subnet));
        EXPECT_EQ(reply.answer, a(kIdc1));
        EXPECT_EQ(reply.scope, 0);
        server.source = base::text::parse_ip("192.0.2.53").value();
        reply = server.ask(with_subnet(subnet));
        EXPECT_EQ(reply.answer, a(kIdc2));
        EXPECT_EQ(reply.scope, 0);
    }
}

TEST(Steered, WithoutSubnetTheResolverDecides) {
    ServerFixture server;
    server.source = base::text::parse_ip("10.1.9.9").value();
    EXPECT_EQ(server.ask({"www.t.example"}).answer, a(kIdc1));
    server.source = base::text::parse_ip("2001:db8:aa00::1").value();
    EXPECT_EQ(server.ask({"www.t.example"}).answer, a(kIdc1));
    server.source = base::text::parse_ip("10.1.2.9").value();
    EXPECT_EQ(server.ask({"WWW.t.example"}).answer, a(kIdc2));
    EXPECT_EQ(server.counters.steered.value(), 3u);
}

TEST(Steered, SiteWithoutTheFamilyIsPassedOver) {
    ServerFixture server;  // G-T5
    const Reply reply = server.ask(with_subnet("10.1.2.0/24", "www.t.example", "AAAA"));
    EXPECT_EQ(reply.answer, Lines{"www.t.example. 30 in aaaa 2001:db8:1::1"});
    const Reply none = server.ask(with_subnet("10.1.2.0/24", "pool.t.example", "AAAA"));
    EXPECT_EQ(none.rcode, "NOERROR");
    EXPECT_TRUE(none.answer.empty());
    ASSERT_EQ(none.authority.size(), 1u);
    EXPECT_EQ(none.scope, 0);
}

TEST(Steered, HealthMovesTheAnswerAndBackAgain) {
    ServerFixture server;
    server.set_health(0, {Health::down, Health::up});
    EXPECT_EQ(server.ask(with_subnet("10.1.9.0/24")).answer, a(kIdc2));
    EXPECT_EQ(server.ask(with_subnet("10.1.9.0/24")).scope, 21) << "scopes do not follow health";
    server.set_health(0, {Health::down, Health::down});
    EXPECT_EQ(server.ask(with_subnet("10.1.9.0/24")).answer, a(kIdc1)) << "open: as if all were up";
    const Reply closed = server.ask(with_subnet("10.1.9.0/24", "closed.t.example"));
    EXPECT_EQ(closed.rcode, "NOERROR");
    EXPECT_TRUE(closed.answer.empty());
    EXPECT_EQ(closed.authority.size(), 1u);
    server.set_health(0, {Health::up, Health::up});
    EXPECT_EQ(
        server.ask(with_subnet("10.1.9.0/24", "closed.t.example")).answer,
        a(kIdc1, 30, "closed.t.example.")
    );
}

TEST(Steered, NoDataOfHealthIsForgottenAsSoonAsTheAnswerWouldBe) {
    ServerFixture server;
    server.set_health(0, {Health::down, Health::down});
    const Reply closed = server.ask({"closed.t.example", "A"});
    ASSERT_EQ(closed.authority.size(), 1u);
    EXPECT_NE(closed.authority[0].find(" 30 in soa "), std::string::npos) << closed.authority[0];
    // No target has such an address: nothing can change that soon, so the zone's own time holds.
    const Reply never = server.ask({"pool.t.example", "AAAA"});
    ASSERT_EQ(never.authority.size(), 1u);
    EXPECT_NE(never.authority[0].find(" 60 in soa "), std::string::npos) << never.authority[0];
}

TEST(Steered, ApexWildcardAndEndOfAChainCanBeSteered) {
    ServerFixture server;
    const Reply apex = server.ask(with_subnet("10.1.9.0/24", "t.example"));
    EXPECT_EQ(
        apex.answer, (Lines{"t.example. 30 in a 203.0.113.1", "t.example. 30 in a 198.51.100.1"})
    );
    EXPECT_EQ(apex.scope, 0) << "the policy does not look at the client";
    EXPECT_EQ(server.ask({"t.example", "NS"}).answer.size(), 2u);
    const Reply wild = server.ask(with_subnet("10.1.9.0/24", "q.any.t.example"));
    EXPECT_EQ(wild.answer, a(kIdc1, 30, "q.any.t.example."));
    EXPECT_EQ(wild.scope, 21);
    const Reply chain = server.ask(with_subnet("10.1.9.0/24", "c6.t.example"));
    EXPECT_EQ(
        chain.answer,
        (Lines{"c6.t.example. 300 in cname www.t.example.", "www.t.example. 30 in a 203.0.113.1"})
    );
    EXPECT_EQ(chain.scope, 21);
    EXPECT_EQ(server.ask({"any.t.example"}).rcode, "NOERROR") << "an empty non-terminal";
}

TEST(Steered, AnyOfANameWithNothingElseGivesItsAddresses) {
    ServerFixture server;
    EXPECT_EQ(server.ask({"closed.t.example", "ANY"}).answer, a(kIdc2, 30, "closed.t.example."));
}

std::map<std::string, int> draw(ServerFixture& server, int count) {
    std::map<std::string, int> out;
    for (int i = 0; i < count; ++i) {
        const Reply reply = server.ask({"pool.t.example"});
        std::string key;
        for (const auto& line : reply.answer) key += line.substr(line.rfind('.') + 1) + " ";
        ++out[key];
    }
    return out;
}

double chi_square(
    const std::map<std::string, int>& seen, const std::map<std::string, double>& odds, int count
) {
    double sum = 0;
    for (const auto& [key, share] : odds) {
        const auto found = seen.find(key);
        const double off = (found == seen.end() ? 0 : found->second) - share * count;
        sum += off * off / (share * count);
    }
    return sum;
}

TEST(Steered, WeightedDrawsOneTargetWithItsOdds) {
    ServerFixture server;  // G-T12, the phases; 13.8 and 10.8 are p = 0.001 for 2 and 1 degrees
    constexpr int kCount = 20'000;
    auto seen = draw(server, kCount);
    EXPECT_EQ(seen.size(), 3u) << "all addresses of the drawn target, of no other";
    EXPECT_LT(chi_square(seen, {{"50 ", 0.5}, {"30 ", 0.3}, {"20 21 ", 0.2}}, kCount), 13.8);
    server.set_health(1, {Health::down, Health::up, Health::up});
    seen = draw(server, kCount);
    EXPECT_EQ(seen.size(), 2u);
    EXPECT_LT(chi_square(seen, {{"30 ", 0.6}, {"20 21 ", 0.4}}, kCount), 10.8);
    server.set_health(1, {Health::down, Health::down, Health::up});
    EXPECT_EQ(draw(server, 100).size(), 1u);
    server.set_health(1, {Health::up, Health::up, Health::up});
    seen = draw(server, kCount);
    EXPECT_LT(chi_square(seen, {{"50 ", 0.5}, {"30 ", 0.3}, {"20 21 ", 0.2}}, kCount), 13.8);
}

}  // namespace
}  // namespace twinsite::gslb::answer
