// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/index.hpp"

#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "gslb/zone/index_builder.hpp"
#include "tests/support/dns_messages.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace dns = wire::dns;
using MatchKind = Index::MatchKind;
using tests::zone_from_text;

constexpr const char* kSoa =
    "t.example. 3600 SOA ns1.t.example. hostmaster.t.example. 7 2 3 4 60\n"
    "t.example. 3600 NS ns1.t.example.\n";

dns::Name name(std::string_view text) {
    return dns::parse_name(text).value();
}

std::shared_ptr<const Index> index_of(
    std::string_view records, std::vector<dns::Name> steered = {}
) {
    const ZoneData zones[] = {zone_from_text("t.example", std::string(kSoa) + std::string(records))
    };
    const Built built = build_index(zones, steered);
    EXPECT_EQ(built.problems, std::vector<std::string>{});
    return built.index;
}

std::vector<std::string> problems_of(
    std::string_view records, std::vector<dns::Name> steered = {}
) {
    const ZoneData zones[] = {zone_from_text("t.example", std::string(kSoa) + std::string(records))
    };
    const Built built = build_index(zones, steered);
    EXPECT_EQ(built.index, nullptr);
    return built.problems;
}

Index::Match match(const Index& index, std::string_view text) {
    return index.match(dns::make_key(name(text)));
}

std::string owner_of(const Index& index, const Index::Match& found) {
    for (const auto text : {"t.example", "w.t.example", "*.w.t.example", "b.t.example"})
        if (index.find(name(text)) == found.node) return text;
    return "?";
}

TEST(Index, FindsNamesWhateverTheirCase) {
    const auto index = index_of("wWw.t.example. 60 A 192.0.2.1\n");
    EXPECT_EQ(match(*index, "WwW.T.example").kind, MatchKind::exact);
    EXPECT_EQ(match(*index, "t.example").kind, MatchKind::exact);
    EXPECT_EQ(match(*index, "example").kind, MatchKind::no_zone);
    EXPECT_EQ(match(*index, ".").kind, MatchKind::no_zone);
    EXPECT_EQ(match(*index, "xt.example").kind, MatchKind::no_zone);
    EXPECT_EQ(index->zones().size(), 1u);
    EXPECT_EQ(index->zones()[0].serial, 7u);
    EXPECT_EQ(index->zones()[0].records, 3u);
}

TEST(Index, EmptyNonTerminalsAreNames) {
    const auto index = index_of("x.a.b.t.example. 60 A 192.0.2.1\n");
    const auto empty = match(*index, "b.t.example");
    EXPECT_EQ(empty.kind, MatchKind::exact);
    EXPECT_TRUE(index->blobs(*empty.node).empty());
    const auto missing = match(*index, "q.c.b.t.example");
    EXPECT_EQ(missing.kind, MatchKind::name_error);
    EXPECT_EQ(owner_of(*index, missing), "b.t.example");
}

TEST(Index, WildcardStandsForNamesBelowItsParentOnly) {
    const auto index = index_of(
        "*.w.t.example. 60 A 192.0.2.1\n"
        "a.*.w.t.example. 60 A 192.0.2.2\n"
        "there.w.t.example. 60 TXT x\n"
    );
    EXPECT_EQ(match(*index, "q.w.t.example").kind, MatchKind::wildcard);
    EXPECT_EQ(match(*index, "p.q.w.t.example").kind, MatchKind::wildcard);
    EXPECT_EQ(owner_of(*index, match(*index, "p.q.w.t.example")), "*.w.t.example");
    EXPECT_EQ(match(*index, "*.w.t.example").kind, MatchKind::exact);
    // RFC 4592 section 2.2.1: the closest encloser is there, or *.w itself, not w.
    EXPECT_EQ(match(*index, "q.there.w.t.example").kind, MatchKind::name_error);
    EXPECT_EQ(match(*index, "q.*.w.t.example").kind, MatchKind::name_error);
    EXPECT_EQ(match(*index, "w.t.example").kind, MatchKind::exact);
}

TEST(Index, NamesBelowACutAreHiddenBehindIt) {
    const auto index = index_of(
        "d.t.example. 60 NS ns.d.t.example.\n"
        "d.t.example. 60 A 192.0.2.9\n"
        "ns.d.t.example. 60 A 192.0.2.1\n"
        "e.d.t.example. 60 NS ns.d.t.example.\n"
        "*.d.t.example. 60 A 192.0.2.2\n"
    );
    const Node* const cut = index->find(name("d.t.example"));
    ASSERT_NE(cut, nullptr);
    EXPECT_TRUE(cut->is_cut);
    EXPECT_TRUE(index->blobs(*cut).empty());
    for (const auto text :
         {"ns.d.t.example", "e.d.t.example", "x.d.t.example", "x.e.d.t.example"}) {
        const auto found = match(*index, text);
        EXPECT_NE(found.kind, MatchKind::wildcard) << text;
        EXPECT_EQ(found.node->referral, cut->referral) << text;
    }
    EXPECT_EQ(index->referral(*cut).blob.records, 1);
    EXPECT_EQ(index->referral(*cut).additional, 1);
}

TEST(Index, LongQuestionsAreCutToTheDepthOfTheZones) {
    const auto index = index_of("www.t.example. 60 A 192.0.2.1\n");
    std::string deep;
    for (int i = 0; i < 120; ++i) deep += "x.";
    const auto found = match(*index, deep + "t.example");
    EXPECT_EQ(found.kind, MatchKind::name_error);
    EXPECT_EQ(owner_of(*index, found), "t.example");
}

TEST(Index, NestedZonesAnswerForTheirOwnNames) {
    const ZoneData zones[] = {
        zone_from_text(
            "t.example",
            std::string(kSoa) + "sub.t.example. 60 NS ns.sub.t.example.\n"
                                "sub.t.example. 60 DS 1 13 2 "
                                "0000000000000000000000000000000000000000000000000000000000000000\n"
                                "old.sub.t.example. 60 A 192.0.2.66\n"
        ),
        zone_from_text(
            "sub.t.example",
            "sub.t.example. 60 SOA ns.sub.t.example. h.sub.t.example. 9 2 3 4 5\n"
            "sub.t.example. 60 NS ns.sub.t.example.\n"
            "ns.sub.t.example. 60 A 192.0.2.1\n"
        ),
    };
    const Built built = build_index(zones, {});
    ASSERT_EQ(built.problems, std::vector<std::string>{});
    const Index& index = *built.index;
    const auto apex = match(index, "sub.t.example");
    ASSERT_EQ(apex.kind, MatchKind::exact);
    EXPECT_EQ(index.zone(*apex.node).serial, 9u);
    EXPECT_EQ(apex.node->referral, kNone);
    ASSERT_NE(apex.node->parent_side, kNone);
    const Node& above = index.node(apex.node->parent_side);
    EXPECT_EQ(index.zone(above).serial, 7u);
    EXPECT_EQ(index.blobs(above)[0].type, dns::type::ds);
    EXPECT_EQ(match(index, "old.sub.t.example").kind, MatchKind::name_error);

    // The parent's delegation does not hide the apex of a zone that is served here too.
    const dns::Name steered[] = {name("sub.t.example")};
    EXPECT_EQ(build_index(zones, steered).problems, std::vector<std::string>{});
}

TEST(Index, AWildcardOriginHasNoParentToHangFrom) {
    const ZoneData zones[] = {zone_from_text(
        "*.t.example",
        "*.t.example. 60 SOA ns.x.example. h.x.example. 9 2 3 4 5\n*.t.example. 60 NS "
        "ns.x.example.\n"
    )};
    const auto problems = build_index(zones, {}).problems;
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("a wildcard cannot be delegated"), std::string::npos) << problems[0];
}

TEST(Index, SteeredNamesAreThereWithoutAddressesOfTheFile) {
    const auto index = index_of(
        "www.t.example. 60 A 192.0.2.1\n"
        "www.t.example. 60 AAAA 2001:db8::1\n"
        "www.t.example. 60 TXT kept\n",
        {name("new.deep.t.example"), name("WWW.t.example"), name("t.example")}
    );
    const Node* const www = index->find(name("www.t.example"));
    EXPECT_EQ(www->steered, 1u);
    ASSERT_EQ(index->blobs(*www).size(), 1u);
    EXPECT_EQ(index->blobs(*www)[0].type, dns::type::txt);
    EXPECT_EQ(index->find(name("new.deep.t.example"))->steered, 0u);
    EXPECT_NE(index->find(name("deep.t.example")), nullptr);
    EXPECT_EQ(index->find(name("t.example"))->steered, 2u);
}

TEST(Index, PositiveRecordsPointToTheQuestionAndTheApex) {
    const auto index = index_of("www.t.example. 258 MX 10 mail.t.example.\n");
    const Node* const www = index->find(name("www.t.example"));
    const Blob& blob = index->blobs(*www)[0];
    const auto* const first = index->bytes(blob);
    // The apex stands 4 bytes ("\3www") into the question's name, which stands at 12.
    EXPECT_EQ(
        tests::Bytes(first, first + blob.size_bytes),
        (tests::Bytes{0xC0, 12, 0,  15, 0,   1,   0,   0,   1,    2, 0,
                      9,    0,  10, 4,  'm', 'a', 'i', 'l', 0xC0, 16})
    );
    ASSERT_EQ(index->fixups(blob).size(), 1u);
    EXPECT_EQ(index->fixups(blob)[0], 19);
}

TEST(Index, SrvTargetsAreNotCompressed) {
    const auto index = index_of("s.t.example. 60 SRV 1 2 3 a.t.example.\n");
    const Blob& blob = index->blobs(*index->find(name("s.t.example")))[0];
    EXPECT_EQ(blob.fixup_count, 0);
    EXPECT_EQ(blob.size_bytes, 12 + 6 + 13);
}

TEST(Index, NegativeTtlIsTheSmallerOne) {
    const auto index = index_of("");
    const Blob& negative = index->zones()[0].negative;
    EXPECT_EQ(dns::load32(index->bytes(negative) + 6), 60u);
    EXPECT_EQ(negative.fixup_count, 3);  // owner, MNAME, RNAME
}

TEST(Index, CnamesKnowWhereTheyGo) {
    const auto index = index_of(
        "a.t.example. 60 CNAME www.t.example.\n"
        "b.t.example. 60 CNAME gone.t.example.\n"
        "c.t.example. 60 CNAME x.other.\n"
        "d.t.example. 60 CNAME q.w.t.example.\n"
        "e.t.example. 60 CNAME q.sub.t.example.\n"
        "www.t.example. 60 A 192.0.2.1\n"
        "*.w.t.example. 60 A 192.0.2.1\n"
        "sub.t.example. 60 NS x.other.\n"
    );
    const auto end = [&](std::string_view text) { return index->find(name(text))->cname_end; };
    const auto next = [&](std::string_view text) {
        return &index->node(index->find(name(text))->cname_next);
    };
    EXPECT_EQ(end("a.t.example"), CnameEnd::node);
    EXPECT_EQ(next("a.t.example"), index->find(name("www.t.example")));
    EXPECT_EQ(end("b.t.example"), CnameEnd::name_error);
    EXPECT_EQ(end("c.t.example"), CnameEnd::elsewhere);
    EXPECT_EQ(end("d.t.example"), CnameEnd::node);
    EXPECT_EQ(next("d.t.example"), index->find(name("*.w.t.example")));
    EXPECT_EQ(end("e.t.example"), CnameEnd::elsewhere);
}

TEST(Index, AllProblemsAreTold) {
    const auto problems = problems_of(
        "a.t.example. 60 CNAME b.t.example.\n"
        "a.t.example. 60 A 192.0.2.1\n"
        "x.other. 60 A 192.0.2.1\n"
        "d.t.example. 60 DNAME x.other.\n"
        "*.t.example. 60 NS x.other.\n"
        "sub.t.example. 60 NS x.other.\n",
        {name("www.elsewhere"), name("a.t.example"), name("a.t.example"), name("q.sub.t.example")}
    );
    const auto has = [&](std::string_view words) {
        for (const auto& problem : problems)
            if (problem.find(words) != std::string::npos) return true;
        return false;
    };
    EXPECT_TRUE(has("www.elsewhere. is in no zone"));
    EXPECT_TRUE(has("a.t.example. is given twice"));
    EXPECT_TRUE(has("a.t.example. has a CNAME"));
    EXPECT_TRUE(has("q.sub.t.example. is at or below a delegation"));
    EXPECT_TRUE(has("x.other. A: not in this zone"));
    EXPECT_TRUE(has("DNAME is not served"));
    EXPECT_TRUE(has("a wildcard cannot be delegated"));
    EXPECT_TRUE(has("a CNAME must be the only record"));
}

TEST(Index, ZoneWithoutSoaOrGivenTwiceIsRefused) {
    const ZoneData no_soa[] = {zone_from_text("t.example", "t.example. 60 NS x.other.\n")};
    EXPECT_FALSE(build_index(no_soa, {}).problems.empty());
    const ZoneData twice[] = {zone_from_text("t.example", kSoa), zone_from_text("T.example", kSoa)};
    EXPECT_EQ(build_index(twice, {}).problems[0], "zone T.example.: the zone is given twice");
}

TEST(Index, TooLargeAnRRsetIsRefused) {
    auto zone = zone_from_text("t.example", kSoa);
    RRset big{name("big.t.example"), dns::type::a, 60, {}};
    for (int i = 0; i < 4000; ++i) big.rdatas.push_back({10, 0, 0, 1});
    zone.rrsets.push_back(big);
    const auto problems = build_index({&zone, 1}, {}).problems;
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("than an answer can hold"), std::string::npos);
}

TEST(Index, AgreesWithASimpleModelOnRandomNames) {
    std::mt19937 random(7);
    const auto random_name = [&] {
        std::string out;
        for (auto labels = random() % 4; labels > 0; --labels)
            out += std::string(1, static_cast<char>("ab*"[random() % 3])) + ".";
        return out + "t.example.";
    };
    for (int round = 0; round < 200; ++round) {
        std::string records;
        std::set<std::string> names = {"t.example."};
        for (int i = 0; i < 5; ++i) {
            std::string owner = random_name();
            if (names.insert(owner).second) records += owner + " 60 TXT x\n";
            for (; owner != "t.example."; owner = owner.substr(2)) names.insert(owner);
        }
        const auto index = index_of(records);
        EXPECT_EQ(index->name_count(), names.size());
        for (int i = 0; i < 50; ++i) {
            const std::string asked = random_name();
            MatchKind expected = MatchKind::exact;
            std::string encloser = asked;
            while (!names.contains(encloser)) {
                encloser = encloser.substr(2);
                expected =
                    names.contains("*." + encloser) ? MatchKind::wildcard : MatchKind::name_error;
            }
            EXPECT_EQ(match(*index, asked).kind, expected) << asked << " in\n" << records;
        }
    }
}

}  // namespace
}  // namespace twinsite::gslb::zone
