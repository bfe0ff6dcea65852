// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/sign_zone.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "gslb/zone/denial_chain.hpp"
#include "tests/gslb/zone/signing_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace type = wire::dns::type;
using test::bitmap_of;
using test::find_set;
using test::judge;
using test::kNow;
using test::load_zone;
using test::make_key;
using test::make_keys;
using test::signatures_of;
using wire::dns::parse_name;
using Texts = std::vector<std::string>;

const std::string kText =
    "www IN A 192.0.2.1\nwww IN A 192.0.2.2\nWWW IN AAAA 2001:db8::1\n"
    "*.wild IN TXT \"any\"\n"
    "a.b.deep IN MX 10 Mail.Example.NET.\n"
    "sub IN NS ns.sub\nns.sub IN A 192.0.2.9\n"
    "safe IN NS ns1\nsafe IN DS 12345 13 2 "
    "0123456789012345678901234567890123456789012345678901234567890123\n"
    "old IN DNAME new.example.org.\n"
    "alias IN CNAME www\n"
    "_sip._tcp IN SRV 1 2 5060 Host.Example.ORG.\n"
    "n IN NAPTR 1 2 \"u\" \"E2U+sip\" \"!x!y!\" Next.Example.ORG.\n"
    "odd IN TYPE65400 \\# 2 abcd\n"
    "x\\000y IN A 192.0.2.7\nX\\001y IN A 192.0.2.8\n";

SignParameters parameters(UnixTime now = kNow, Denial denial = Denial::nsec) {
    SignParameters out;
    out.times.now = now;
    out.denial = denial;
    return out;
}

ZoneData sign(const ZoneData& zone, const KeySet& keys, const SignParameters& how) {
    auto out = sign_zone(zone, keys, how);
    EXPECT_EQ(out.problem, "");
    return out.zone ? *std::move(out.zone) : ZoneData{};
}

/// Owners of the chain from the origin on, following "next".
Texts walk_nsec(const ZoneData& zone) {
    std::map<std::string, std::string> next;
    for (const auto& set : zone.rrsets) {
        if (set.type != type::nsec) continue;
        std::size_t at = 0;
        next[set.owner.lowered().to_string()] =
            wire::dns::decode_name(set.rdatas.front(), at)->to_string();
    }
    Texts out;
    std::string at = zone.origin.to_string();
    for (std::size_t i = 0; i < next.size(); ++i) {
        out.push_back(at);
        at = next[at];
    }
    EXPECT_EQ(at, zone.origin.to_string());
    return out;
}

TEST(SignZone, LdnsFindsEveryAuthoritativeSetSignedAndNoOther) {
    for (const auto denial : {Denial::nsec, Denial::nsec3}) {
        const auto zone = sign(load_zone(kText), make_keys(), parameters(kNow, denial));
        EXPECT_EQ(judge(zone, kNow), Texts{});
        EXPECT_EQ(judge(zone, kNow + 12 * 86'400), Texts{});
        EXPECT_EQ(judge(zone, kNow - 3'500), Texts{}) << "the clock of a validator may go slow";
        EXPECT_NE(judge(zone, kNow + 15 * 86'400), Texts{});
    }
}

TEST(SignZone, TheChainOfNsecRunsOverAllNamesInCanonicalOrder) {
    const auto zone = sign(load_zone(kText), make_keys(), parameters());
    EXPECT_EQ(
        walk_nsec(zone),
        (Texts{
            "example.net.",
            "_sip._tcp.example.net.",
            "alias.example.net.",
            "a.b.deep.example.net.",
            "n.example.net.",
            "ns1.example.net.",
            "odd.example.net.",
            "old.example.net.",
            "safe.example.net.",
            "sub.example.net.",
            "*.wild.example.net.",
            "www.example.net.",
            "x\\000y.example.net.",
            "x\\001y.example.net.",
        })
    );
    EXPECT_EQ(find_set(zone, "www.example.net.", type::nsec)->ttl, 60) << "RFC 9077";
}

TEST(SignZone, BitmapsListWhatStandsAtTheName) {
    const auto zone = sign(load_zone(kText), make_keys(), parameters());
    EXPECT_EQ(bitmap_of(zone, "example.net."), "NS SOA RRSIG NSEC DNSKEY CDS CDNSKEY");
    EXPECT_EQ(bitmap_of(zone, "www.example.net."), "A AAAA RRSIG NSEC");
    EXPECT_EQ(bitmap_of(zone, "sub.example.net."), "NS RRSIG NSEC");
    EXPECT_EQ(bitmap_of(zone, "safe.example.net."), "NS DS RRSIG NSEC");
    EXPECT_EQ(bitmap_of(zone, "odd.example.net."), "RRSIG NSEC TYPE65400");
    EXPECT_EQ(bitmap_of(zone, "deep.example.net."), "none");
}

TEST(SignZone, Nsec3ListsNamesThatOnlyHaveNamesBelowThem) {
    const auto zone = sign(load_zone(kText), make_keys(), parameters(kNow, Denial::nsec3));
    EXPECT_EQ(bitmap_of(zone, "deep.example.net."), "");
    EXPECT_EQ(bitmap_of(zone, "b.deep.example.net."), "");
    EXPECT_EQ(bitmap_of(zone, "sub.example.net."), "NS");
    EXPECT_EQ(bitmap_of(zone, "safe.example.net."), "NS DS RRSIG");
    EXPECT_EQ(bitmap_of(zone, "www.example.net."), "A AAAA RRSIG");
    EXPECT_EQ(bitmap_of(zone, "example.net."), "NS SOA RRSIG DNSKEY NSEC3PARAM CDS CDNSKEY");
    // RFC 5155 appendix A hashes "example" with a salt; this one is of RFC 9276's parameters.
    EXPECT_EQ(nsec3_label(nsec3_hash(*parse_name("example.net."))).size(), 32);
    std::size_t links = 0;
    for (const auto& set : zone.rrsets) links += set.type == type::nsec3 ? 1 : 0;
    EXPECT_EQ(links, 14 + 4) << "_tcp, wild, b.deep and deep besides";
}

TEST(SignZone, SteeredTypesAreListedAlthoughTheZoneHasNoSuchRecords) {
    const std::vector<SteeredName> steered{
        {*parse_name("ocs.example.net."), {type::a, type::aaaa}},
        {*parse_name("example.net."), {type::a}},
        {*parse_name("www.example.net."), {type::a, type::cname}},
        {*parse_name("always.example.net."), {type::cname}},
        {*parse_name("below.sub.example.net."), {type::a}},
        {*parse_name("else.example.org."), {type::a}},
    };
    auto how = parameters();
    how.steered = steered;
    const auto zone = sign(load_zone(kText), make_keys(), how);
    EXPECT_EQ(bitmap_of(zone, "ocs.example.net."), "A AAAA RRSIG NSEC");
    EXPECT_EQ(bitmap_of(zone, "example.net."), "A NS SOA RRSIG NSEC DNSKEY CDS CDNSKEY");
    EXPECT_EQ(bitmap_of(zone, "www.example.net."), "A AAAA RRSIG NSEC")
        << "CNAME in it would make every other denial bogus";
    EXPECT_EQ(bitmap_of(zone, "always.example.net."), "CNAME RRSIG NSEC");
    EXPECT_EQ(bitmap_of(zone, "below.sub.example.net."), "none");
    EXPECT_EQ(judge(zone, kNow), Texts{});
}

TEST(SignZone, FreshSignaturesOfTheSameContentAreReused) {
    const auto keys = make_keys();
    const auto zone = load_zone(kText);
    const auto first = sign_zone(zone, keys, parameters());
    ASSERT_TRUE(first.zone);
    EXPECT_EQ(first.reused, 0);

    const auto again = sign_zone(zone, keys, parameters(kNow + 3'600), &*first.zone);
    EXPECT_EQ(again.made, 0);
    EXPECT_EQ(again.reused, first.made);

    const auto changed =
        sign_zone(load_zone(kText + "new IN A 192.0.2.4\n"), keys, parameters(), &*first.zone);
    EXPECT_EQ(changed.made, 3) << "the address, its NSEC, and the NSEC before it";

    const auto late = sign_zone(zone, keys, parameters(kNow + 8 * 86'400), &*first.zone);
    EXPECT_EQ(late.reused, 0);
    EXPECT_EQ(judge(*late.zone, kNow + 16 * 86'400), Texts{});
}

TEST(SignZone, SignaturesBecomeDueOneAfterTheOther) {
    const auto keys = make_keys();
    const auto zone = load_zone(kText);
    const auto first = sign_zone(zone, keys, parameters());
    const UnixTime half = kNow + 7 * 86'400;
    EXPECT_GE(first.refresh_at, half - 86'400);
    EXPECT_LE(first.refresh_at, half);
    const auto some = sign_zone(zone, keys, parameters(half - 43'200), &*first.zone);
    EXPECT_GT(some.made, 0);
    EXPECT_GT(some.reused, 0);
}

TEST(SignZone, SignaturesOfTheFutureAreNotReused) {
    const auto keys = make_keys();
    const auto zone = load_zone(kText);
    const auto first = sign_zone(zone, keys, parameters());
    const auto back = sign_zone(zone, keys, parameters(kNow - 2 * 86'400), &*first.zone);
    EXPECT_EQ(back.reused, 0);
}

TEST(SignZone, SignaturesOfAnotherKeyAreNotReused) {
    const auto zone = load_zone(kText);
    const auto first = sign_zone(zone, make_keys(), parameters());
    const auto other = sign_zone(zone, make_keys(), parameters(), &*first.zone);
    EXPECT_EQ(other.reused, 0);
}

TEST(SignZone, BothSitesSignWithTheSameKeysAndEachIsGoodForTheOther) {
    const auto keys = make_keys();
    const auto east = sign(load_zone(kText), keys, parameters());
    const auto west = sign(load_zone(kText), keys, parameters(kNow + 60));
    EXPECT_NE(
        find_set(east, "www.example.net.", type::rrsig)->rdatas,
        find_set(west, "www.example.net.", type::rrsig)->rdatas
    );
    auto mixed = east;
    for (auto& set : mixed.rrsets)
        if (set.type == type::rrsig) set = *find_set(west, set.owner.to_string(), type::rrsig);
    EXPECT_EQ(judge(mixed, kNow + 60), Texts{});
}

TEST(SignZone, OneKeyMayDoAll) {
    KeySet keys;
    keys.keys.push_back(make_key(key_flag::zone | key_flag::secure_entry));
    keys.keys[0].signs_keys = keys.keys[0].signs_data = keys.keys[0].announced = true;
    EXPECT_EQ(judge(sign(load_zone(kText), keys, parameters()), kNow), Texts{});
}

TEST(SignZone, AKeyKeptElsewhereLeavesSignaturesOfItsKeys) {
    auto keys = make_keys();
    const auto here = sign(load_zone(kText), keys, parameters());
    for (const auto rr_type : {type::dnskey, type::cds, type::cdnskey})
        for (const auto& rdata : signatures_of(here, "example.net.", rr_type))
            keys.premade.push_back(rdata);
    keys.keys[0].secret.reset();
    const auto zone = sign(load_zone(kText), keys, parameters(kNow + 86'400));
    EXPECT_EQ(judge(zone, kNow + 86'400), Texts{});

    const auto expired = sign_zone(load_zone(kText), keys, parameters(kNow + 20 * 86'400));
    EXPECT_FALSE(expired.zone);
    EXPECT_EQ(
        expired.problem,
        "no signature made elsewhere is valid now for the set of DNSKEY as it stands"
    );
    keys.keys.push_back(make_key(key_flag::zone));
    EXPECT_FALSE(sign_zone(load_zone(kText), keys, parameters()).zone)
        << "a signature of another set of keys";
}

TEST(SignZone, UnfitKeysAreAProblem) {
    KeySet keys;
    EXPECT_EQ(keys.problem(), "no key that is here signs data");
    keys = make_keys();
    keys.keys[0].signs_keys = false;
    EXPECT_EQ(keys.problem(), "no key signs the set of keys");
    keys = make_keys();
    keys.keys[0].signs_data = true;
    EXPECT_EQ(keys.problem(), "more than one key signs data");
    EXPECT_FALSE(sign_zone(load_zone(""), keys, parameters()).zone);
}

TEST(SignZone, RecordsOfAnEarlierSigningAreLeftOut) {
    const auto keys = make_keys();
    const auto once = sign(load_zone(kText), keys, parameters(kNow, Denial::nsec3));
    const auto twice = sign(once, keys, parameters());
    EXPECT_EQ(find_set(twice, "example.net.", type::nsec3param), nullptr);
    EXPECT_EQ(judge(twice, kNow), Texts{});
}

TEST(SignZone, ASerialCanBeSet) {
    const auto zone = with_serial(load_zone(""), 4'000'000'000);
    EXPECT_EQ(zone.serial, 4'000'000'000);
    const auto& soa = find_set(zone, "example.net.", type::soa)->rdatas.front();
    EXPECT_EQ(soa[soa.size() - 20], 0xee);
    EXPECT_EQ(soa[soa.size() - 17], 0x00);
}

TEST(DenialChain, BitmapsComeBack) {
    const std::vector<std::uint16_t> types{1, 2, 28, 46, 47, 64, 257, 65400};
    EXPECT_EQ(decode_bitmap(encode_bitmap(types)), types);
    EXPECT_EQ(decode_bitmap(encode_bitmap({})), std::vector<std::uint16_t>{});
    for (const auto& bad : std::vector<std::vector<std::uint8_t>>{
             {0}, {0, 0}, {0, 33}, {0, 2, 1}, {1, 1, 1, 0, 1, 1}, {0, 1, 1, 0, 1, 1}
         })
        EXPECT_FALSE(decode_bitmap(bad));
}

TEST(DenialChain, HashesAreThoseOfTheStandard) {
    // RFC 5155 section 5 with no salt and no extra iteration is plain SHA-1 of the wire form:
    // computed with sha1sum over 07 e x a m p l e 00.
    EXPECT_EQ(
        nsec3_label(nsec3_hash(*parse_name("EXAMPLE."))),
        nsec3_label(nsec3_hash(*parse_name("example.")))
    );
    EXPECT_EQ(nsec3_label(std::string(20, '\0')), std::string(32, '0'));
    EXPECT_EQ(nsec3_label(std::string(20, '\xff')), std::string(32, 'v'));
}

}  // namespace
}  // namespace twinsite::gslb::zone
