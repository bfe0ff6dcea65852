// SPDX-License-Identifier: Apache-2.0
// Answers of signed zones (RFC 4035 section 3.1, RFC 5155 section 7.2) and of DNAME (RFC 6672).
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gslb/answer/signed_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace flag = wire::dns::flag;
using tests::Reply;
using Lines = std::vector<std::string>;

/// "owner TYPE", or "owner rrsig TYPE" for signatures, sorted.
Lines kinds(const Lines& records) {
    Lines out;
    for (const std::string& record : records) {
        std::istringstream words(record);
        std::string owner, ttl, in, type, first;
        words >> owner >> ttl >> in >> type >> first;
        out.push_back(owner + " " + type + (type == "rrsig" ? " " + first : ""));
    }
    std::sort(out.begin(), out.end());
    return out;
}

Lines with_signatures(const Lines& records) {
    Lines out;
    for (const std::string& record : records) {
        out.push_back(record);
        const auto space = record.find(' ');
        out.push_back(record.substr(0, space) + " rrsig" + record.substr(space));
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// How many NSEC3 records, each with its signature; the SOA must be there too.
std::size_t hashed_proofs(const Reply& reply) {
    std::size_t proofs = 0, signatures = 0, soa = 0;
    for (const std::string& kind : kinds(reply.authority)) {
        const bool is_signature = kind.ends_with(" rrsig nsec3");
        signatures += is_signature;
        proofs += !is_signature && kind.ends_with(" nsec3");
        soa += kind == "t.example. soa" || kind == "t.example. rrsig soa";
    }
    EXPECT_EQ(proofs, signatures);
    EXPECT_EQ(proofs + signatures + soa, reply.authority.size());
    return proofs;
}

TEST(SignedAnswer, SignaturesComeToThoseWhoAskForThem) {
    SignedServer server(Signed::nsec);
    ASSERT_EQ(server.problems, Lines{});
    const Reply with = server.ask("mail.t.example");
    EXPECT_EQ(kinds(with.answer), with_signatures({"mail.t.example. a"}));
    EXPECT_EQ(with.authority, Lines{});
    EXPECT_TRUE(with.dnssec_ok);
    const Reply without = server.ask("mail.t.example", "A", false);
    EXPECT_EQ(without.answer, Lines{"mail.t.example. 300 in a 192.0.2.25"});
    EXPECT_EQ(server.ask("gone.t.example", "A", false).authority.size(), 1u);
    EXPECT_EQ(kinds(server.ask("t.example", "DNSKEY").answer).size(), 3u);
}

TEST(SignedAnswer, ANameErrorHasTheNsecsOfTheNameAndOfTheWildcard) {
    SignedServer server(Signed::nsec);
    const Reply reply = server.ask("gone.t.example");
    EXPECT_EQ(reply.rcode, "NXDOMAIN");
    EXPECT_EQ(
        kinds(reply.authority),
        with_signatures({"*.cw.t.example. nsec", "t.example. nsec", "t.example. soa"})
    );
    // Both covered by the apex: once.
    EXPECT_EQ(
        kinds(server.ask("0.t.example").authority),
        with_signatures({"t.example. nsec", "t.example. soa"})
    );
    for (const std::string& record : reply.authority)
        EXPECT_NE(record.find(" 60 in "), std::string::npos) << record;
}

TEST(SignedAnswer, NoDataHasTheNsecOfTheNameOrCoversTheEmptyOne) {
    SignedServer server(Signed::nsec);
    const Reply reply = server.ask("mail.t.example", "TXT");
    EXPECT_EQ(reply.rcode, "NOERROR");
    EXPECT_EQ(kinds(reply.authority), with_signatures({"mail.t.example. nsec", "t.example. soa"}));
    EXPECT_EQ(
        kinds(server.ask("b.t.example").authority),
        with_signatures({"away.t.example. nsec", "t.example. soa"})
    );
}

TEST(SignedAnswer, AWildcardIsProvedToStandForTheName) {
    SignedServer server(Signed::nsec);
    const Reply reply = server.ask("q.w.t.example");
    EXPECT_EQ(kinds(reply.answer), with_signatures({"q.w.t.example. a"}));
    EXPECT_EQ(kinds(reply.authority), with_signatures({"*.w.t.example. nsec"}));
    EXPECT_EQ(
        kinds(server.ask("z.w.t.example", "TXT").authority),
        with_signatures({"*.w.t.example. nsec", "t.example. soa", "there.w.t.example. nsec"})
    );
    // The alias leads to a wildcard: the proof is about the alias's target.
    const Reply alias = server.ask("c2.t.example");
    EXPECT_EQ(kinds(alias.answer), with_signatures({"c2.t.example. cname", "q.w.t.example. a"}));
    EXPECT_EQ(kinds(alias.authority), with_signatures({"*.w.t.example. nsec"}));
    // The alias is a wildcard itself.
    EXPECT_EQ(
        kinds(server.ask("q.cw.t.example").answer),
        with_signatures({"mail.t.example. a", "q.cw.t.example. cname"})
    );
    EXPECT_EQ(
        kinds(server.ask("q.cw.t.example").authority), with_signatures({"*.cw.t.example. nsec"})
    );
}

TEST(SignedAnswer, AnAliasToNowhereIsAProvedNameError) {
    SignedServer server(Signed::nsec);
    const Reply reply = server.ask("c3.t.example");
    EXPECT_EQ(reply.rcode, "NXDOMAIN");
    EXPECT_EQ(kinds(reply.answer), with_signatures({"c3.t.example. cname"}));
    EXPECT_EQ(
        kinds(reply.authority),
        with_signatures({"*.cw.t.example. nsec", "t.example. nsec", "t.example. soa"})
    );
    EXPECT_EQ(kinds(server.ask("c3.t.example", "NSEC").answer).size(), 2u);
    EXPECT_EQ(kinds(server.ask("c3.t.example", "RRSIG").answer).size(), 2u);
}

TEST(SignedAnswer, AReferralShowsTheKeysBelowOrThatThereAreNone) {
    SignedServer server(Signed::nsec);
    const Reply safe = server.ask("x.safe.t.example");
    EXPECT_EQ(safe.flags & flag::aa, 0);
    EXPECT_EQ(
        kinds(safe.authority),
        (Lines{
            "safe.t.example. ds",
            "safe.t.example. ns",
            "safe.t.example. ns",
            "safe.t.example. rrsig ds"
        })
    );
    EXPECT_EQ(safe.additional.size(), 2u);
    const Reply sub = server.ask("x.sub.t.example");
    EXPECT_EQ(
        kinds(sub.authority),
        (Lines{"sub.t.example. ns", "sub.t.example. nsec", "sub.t.example. rrsig nsec"})
    );
    EXPECT_EQ(server.ask("x.sub.t.example", "A", false).authority.size(), 1u);
    const Reply ds = server.ask("sub.t.example", "DS");
    EXPECT_EQ(ds.rcode, "NOERROR");
    EXPECT_EQ(kinds(ds.authority), with_signatures({"sub.t.example. nsec", "t.example. soa"}));
    EXPECT_EQ(kinds(server.ask("safe.t.example", "DS").answer).size(), 2u);
}

TEST(SignedAnswer, HashedProofsAreAsManyAsNeeded) {
    SignedServer server(Signed::nsec3);
    ASSERT_EQ(server.problems, Lines{});
    const auto at_most = [&](std::string name, std::string type, std::size_t least, std::size_t most
                         ) {
        const std::size_t proofs = hashed_proofs(server.ask(name, type));
        EXPECT_GE(proofs, least) << name;
        EXPECT_LE(proofs, most) << name;
    };
    EXPECT_EQ(server.ask("gone.t.example").rcode, "NXDOMAIN");
    at_most("gone.t.example", "A", 2, 3);
    at_most("x.y.gone.t.example", "A", 2, 3);
    at_most("mail.t.example", "TXT", 1, 1);
    at_most("b.t.example", "A", 1, 1);
    at_most("q.w.t.example", "A", 1, 1);
    at_most("q.w.t.example", "TXT", 2, 3);
    at_most("sub.t.example", "DS", 1, 1);
    EXPECT_EQ(kinds(server.ask("q.w.t.example").answer), with_signatures({"q.w.t.example. a"}));
}

TEST(SignedAnswer, ProofsFarBehindInTheMessageHaveTheirOwnersWrittenOut) {
    std::string many;
    for (int i = 0; i < 90; ++i)
        many += "*.far.t.example. 300 TXT \"" + std::string(200, 'x') + std::to_string(i) + "\"\n";
    SignedServer server(Signed::nsec, many);
    const Reply reply = server.ask("q.far.t.example", "TXT");
    EXPECT_GT(reply.size_bytes, 0x3fffu);
    EXPECT_EQ(reply.answer.size(), 91u);
    EXPECT_EQ(kinds(reply.authority), with_signatures({"*.far.t.example. nsec"}));
}

TEST(SignedAnswer, ABrokenChainIsRefused) {
    auto broken = make_zone(Signed::nsec);
    std::erase_if(broken.rrsets, [](const zone::RRset& set) {
        return set.type == wire::dns::type::nsec && set.owner.to_string() == "mail.t.example.";
    });
    const auto problems = SignedServer(broken).problems;
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems[0].find("the chain does not go on"), std::string::npos) << problems[0];

    auto bare = make_zone(Signed::nsec3);
    std::erase_if(bare.rrsets, [](const zone::RRset& set) {
        return set.type == wire::dns::type::rrsig && set.owner.to_string() == "mail.t.example.";
    });
    EXPECT_NE(SignedServer(bare).problems.at(0).find("no signature"), std::string::npos);

    auto keyless = make_zone(Signed::nsec);
    std::erase_if(keyless.rrsets, [](const zone::RRset& set) {
        return set.type == wire::dns::type::dnskey;
    });
    EXPECT_NE(SignedServer(keyless).problems.at(0).find("no DNSKEY"), std::string::npos);
}

TEST(Dname, LeadsNamesBelowItElsewhere) {
    SignedServer server(Signed::no);
    const Reply reply = server.ask("x.old.t.example", "A", false);
    EXPECT_EQ(reply.rcode, "NOERROR");
    EXPECT_EQ(
        reply.answer,
        (Lines{
            "old.t.example. 200 in dname new.t.example.",
            "x.old.t.example. 200 in cname x.new.t.example.",
            "x.new.t.example. 300 in a 192.0.2.9"
        })
    );
    EXPECT_EQ(server.ask("old.t.example", "TXT", false).answer.size(), 1u);
    EXPECT_EQ(server.ask("old.t.example", "A", false).answer.size(), 0u);
    EXPECT_EQ(
        server.ask("p.q.away.t.example", "A", false).answer,
        (Lines{
            "away.t.example. 200 in dname other.example.",
            "p.q.away.t.example. 200 in cname p.q.other.example."
        })
    );
    // A CNAME leads below a DNAME.
    EXPECT_EQ(
        server.ask("c4.t.example", "A", false).answer,
        (Lines{
            "c4.t.example. 300 in cname x.old.t.example.",
            "old.t.example. 200 in dname new.t.example.",
            "x.old.t.example. 200 in cname x.new.t.example.",
            "x.new.t.example. 300 in a 192.0.2.9"
        })
    );
    const Reply gone = server.ask("y.old.t.example", "A", false);
    EXPECT_EQ(gone.rcode, "NXDOMAIN");
    EXPECT_EQ(gone.answer.size(), 2u);
    EXPECT_EQ(gone.authority.size(), 1u);
    EXPECT_EQ(server.ask("x.old.t.example", "CNAME", false).answer.size(), 2u);
}

TEST(Dname, TooLongANameIsYxdomain) {
    const std::string label(62, 'l');
    SignedServer server(
        Signed::no, "d.t.example. 200 DNAME " + label + "." + label + "." + label + ".t.example.\n"
    );
    const Reply reply = server.ask(label + ".d.t.example", "A", false);
    EXPECT_EQ(reply.rcode, "YXDOMAIN");
    EXPECT_EQ(reply.flags, flag::qr | flag::aa);
    EXPECT_EQ(kinds(reply.answer), Lines{"d.t.example. dname"});
    EXPECT_EQ(server.ask("x.d.t.example", "A", false).rcode, "NXDOMAIN");
    EXPECT_EQ(server.counters.yx_domain.value(), 1u);
}

TEST(Dname, ALoopEnds) {
    SignedServer server(Signed::no);
    EXPECT_EQ(
        server.ask("x.loop.t.example", "A", false).answer,
        (Lines{
            "loop.t.example. 200 in dname loop.t.example.",
            "x.loop.t.example. 200 in cname x.loop.t.example."
        })
    );
}

TEST(Dname, ItsSignatureVouchesForTheSynthesisedCname) {
    SignedServer server(Signed::nsec);
    const Reply reply = server.ask("x.old.t.example");
    EXPECT_EQ(
        kinds(reply.answer),
        (Lines{
            "old.t.example. dname",
            "old.t.example. rrsig dname",
            "x.new.t.example. a",
            "x.new.t.example. rrsig a",
            "x.old.t.example. cname"
        })
    );
    EXPECT_EQ(reply.authority, Lines{});
}

TEST(Referral, LeavesOutWhatCanBeFoundElsewhereBeforeItTruncates) {
    std::string many;
    for (int i = 0; i < 40; ++i)
        many += "big.t.example. 300 NS n" + std::to_string(i) + ".glue.t.example.\n" + "n" +
                std::to_string(i) + ".glue.t.example. 300 A 192.0.2.9\n";
    many += "big.t.example. 300 NS ns.big.t.example.\nns.big.t.example. 300 A 192.0.2.8\n";
    SignedServer server(Signed::no, many);
    server.transport = Transport::udp;
    const Reply reply = server.ask("x.big.t.example", "A", false);
    EXPECT_EQ(reply.flags & flag::tc, 0);
    EXPECT_EQ(reply.authority.size(), 41u);
    EXPECT_EQ(reply.additional, Lines{"ns.big.t.example. 300 in a 192.0.2.8"});
    server.transport = Transport::tcp;
    EXPECT_EQ(server.ask("x.big.t.example", "A", false).additional.size(), 41u);
}

}  // namespace
}  // namespace twinsite::gslb::answer
