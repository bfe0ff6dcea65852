// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/authority.hpp"

#include <gtest/gtest.h>

#include "base/crypto/error.hpp"
#include "base/crypto/trust.hpp"

namespace twinsite::base::crypto {
namespace {

using std::chrono::days;
using namespace std::chrono_literals;

class AuthorityTest : public testing::Test {
protected:
    static Order order(const std::string& uri = "twinsite://east/agent/if1") {
        Order out;
        out.uri = uri;
        out.dns_names = {"if1.east.example.net"};
        out.addresses = {*text::parse_ip("127.0.1.50"), *text::parse_ip("2001:db8::50")};
        return out;
    }
    std::string issue(const Order& what) const { return authority_.issue(what, now_)->certificate; }
    Trust trust(const RevocationList& list = {}) const {
        const auto crl = authority_.revocation_list(list, now_).value();
        return Trust::from_pem(authority_.certificate_pem(), crl).value();
    }
    static std::string serial(const std::string& pem) { return parse_certificate(pem)->serial; }

    const WallTime now_ = wall_now();
    Authority authority_ = Authority::create("test", days(1000), now_).value();
};

TEST_F(AuthorityTest, IssuesWhatIsOrdered) {
    const auto read = parse_certificate(issue(order())).value();
    EXPECT_EQ(read.uri, order().uri);
    EXPECT_EQ(read.dns_names, order().dns_names);
    EXPECT_EQ(read.addresses, order().addresses);
    EXPECT_EQ(read.not_after, now_ + days(365));
    EXPECT_LT(read.not_before, now_);
    EXPECT_FALSE(read.authority);
    EXPECT_EQ(read.use, Use::tls);
    EXPECT_NE(read.serial, serial(issue(order())));
    EXPECT_TRUE(parse_certificate(authority_.certificate_pem())->authority);
}

TEST_F(AuthorityTest, CountsTheDaysLeft) {
    const auto read = parse_certificate(issue(order())).value();
    EXPECT_EQ(days_left(read, now_), 365);
    EXPECT_EQ(days_left(read, now_ + 1s), 364);
    EXPECT_EQ(days_left(read, now_ + days(365) + 1s), -1);
}

TEST_F(AuthorityTest, RefusesNamesThatNoCertificateCanCarry) {
    for (const char* uri : {"", "no uri", "twinsite://a b/c", "twinsite://a\n/b", "plain"})
        EXPECT_EQ(authority_.issue(order(uri), now_).error(), Errc::bad_name) << uri;
    for (const char* name : {"", "a b", "a,DNS:b", ".a", "a..b", "a\n"}) {
        auto bad = order();
        bad.dns_names = {name};
        EXPECT_EQ(authority_.issue(bad, now_).error(), Errc::bad_name) << name;
    }
    EXPECT_EQ(Authority::create("", days(1), now_).error(), Errc::bad_name);
}

TEST_F(AuthorityTest, IssuesNothingThatOutlivesIt) {
    auto longer = order();
    longer.days = days(1001);
    EXPECT_EQ(authority_.issue(longer, now_).error(), Errc::beyond_authority);
}

TEST_F(AuthorityTest, ComesBackFromItsFiles) {
    const auto again =
        Authority::from_pem(authority_.certificate_pem(), authority_.key_pem()).value();
    const auto issued = again.issue(order(), now_).value();
    EXPECT_TRUE(trust().verify(issued.certificate, Use::tls, now_));
    const auto other = Authority::create("test", days(1000), now_).value();
    EXPECT_EQ(
        Authority::from_pem(authority_.certificate_pem(), other.key_pem()).error(),
        Errc::key_mismatch
    );
    EXPECT_EQ(Authority::from_pem(issued.certificate, issued.key).error(), Errc::key_mismatch)
        << "a machine is no authority";
    EXPECT_EQ(Authority::from_pem("", "").error(), Errc::malformed);
}

TEST_F(AuthorityTest, TrustsItsOwnAndNobodyElses) {
    const auto own = issue(order());
    EXPECT_EQ(trust().verify(own, Use::tls, now_)->uri, order().uri);
    const auto impostor = Authority::create("test", days(1000), now_).value();
    const auto forged = impostor.issue(order(), now_).value().certificate;
    EXPECT_EQ(trust().verify(forged, Use::tls, now_).error(), Errc::not_trusted);
    EXPECT_EQ(trust().verify("", Use::tls, now_).error(), Errc::malformed);
}

TEST_F(AuthorityTest, TrustsOnlyWhileACertificateIsValid) {
    const auto own = issue(order());
    EXPECT_EQ(trust().verify(own, Use::tls, now_ - days(1)).error(), Errc::expired);
    EXPECT_EQ(trust().verify(own, Use::tls, now_ + days(366)).error(), Errc::expired);
}

TEST_F(AuthorityTest, KeepsTheTwoUsesApart) {
    auto signing = order("twinsite://arbiter/switchover/sw");
    signing.use = Use::signing;
    const auto signer = issue(signing);
    EXPECT_EQ(parse_certificate(signer)->use, Use::signing);
    EXPECT_TRUE(trust().verify(signer, Use::signing, now_));
    EXPECT_EQ(trust().verify(signer, Use::tls, now_).error(), Errc::wrong_use);
    EXPECT_EQ(trust().verify(issue(order()), Use::signing, now_).error(), Errc::wrong_use);
    EXPECT_FALSE(trust().verify(authority_.certificate_pem(), Use::signing, now_));
    EXPECT_FALSE(trust().verify(authority_.certificate_pem(), Use::tls, now_));
}

TEST_F(AuthorityTest, ARevokedCertificateHoldsNoMore) {
    const auto bad = issue(order());
    const auto good = issue(order());
    const auto strict = trust({7, {{serial(bad), now_, "keyCompromise"}}});
    EXPECT_EQ(strict.verify(bad, Use::tls, now_).error(), Errc::revoked);
    EXPECT_TRUE(strict.verify(good, Use::tls, now_));
    EXPECT_EQ(strict.verify(bad, Use::tls, now_ + days(300)).error(), Errc::revoked);
}

TEST_F(AuthorityTest, AListComesBackAsItWasWritten) {
    const RevocationList list{
        41, {{"0A1B", now_, "superseded"}, {"7F00FF", now_ - days(3), "unspecified"}}
    };
    const auto pem = authority_.revocation_list(list, now_).value();
    const auto read = parse_revocation_list(pem).value();
    EXPECT_EQ(read.number, 41u);
    ASSERT_EQ(read.entries.size(), 2u);
    EXPECT_EQ(read.entries[0].serial, "A1B");
    EXPECT_EQ(read.entries[0].reason, "superseded");
    EXPECT_EQ(read.entries[1].at, now_ - days(3));
    EXPECT_EQ(read.entries[1].reason, "unspecified");
    EXPECT_EQ(authority_.revocation_list({1, {{"no hex", now_, ""}}}, now_).error(), Errc::failed);
}

TEST_F(AuthorityTest, AListOfSomebodyElseIsNoList) {
    const auto other = Authority::create("test", days(1000), now_).value();
    const auto foreign = other.revocation_list({}, now_).value();
    EXPECT_EQ(Trust::from_pem(authority_.certificate_pem(), foreign).error(), Errc::not_trusted);
    EXPECT_EQ(Trust::from_pem(authority_.certificate_pem(), "junk").error(), Errc::malformed);
    EXPECT_EQ(Trust::from_pem("junk", "").error(), Errc::malformed);
}

}  // namespace
}  // namespace twinsite::base::crypto
