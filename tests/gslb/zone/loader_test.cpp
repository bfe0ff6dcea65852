// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/loader.hpp"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace type = wire::dns::type;
using wire::dns::Name;
using wire::dns::parse_name;
using Texts = std::vector<std::string>;

/// The first four lines of every test zone; what a test adds begins in line 5.
const std::string kHead =
    "$TTL 300\n"
    "@ 3600 IN SOA ns1 hostmaster 42 1h 15m 1w 60\n"
    "@ IN NS ns1\n"
    "ns1 IN A 192.0.2.53\n";

Loaded load(const std::string& text) {
    std::istringstream in(text);
    return load_master(in, "t.zone", *parse_name("example.net."));
}

Texts findings(const std::string& text) {
    Texts out;
    const Loaded loaded = load(text);
    bool errors = false;
    for (const Finding& finding : loaded.findings) {
        out.push_back(to_string(finding));
        errors = errors || finding.severity == Finding::Severity::error;
    }
    EXPECT_EQ(loaded.zone.has_value(), !errors);
    return out;
}

/// The finding of `lines` behind a good head, without "t.zone:".
std::string finding(const std::string& lines) {
    const Texts all = findings(kHead + lines + "\n");
    EXPECT_LE(all.size(), 1u) << lines;
    return all.empty() ? "" : all.front().substr(std::string("t.zone:").size());
}

/// Rdata of the given owner and type as hex, one a record.
Texts hex(const std::string& lines, const std::string& owner, std::uint16_t wanted) {
    const Loaded loaded = load(kHead + lines + "\n");
    for (const Finding& one : loaded.findings) ADD_FAILURE() << to_string(one);
    Texts out;
    if (!loaded.zone) return out;
    for (const RRset& set : loaded.zone->rrsets)
        if (set.type == wanted && set.owner == *parse_name(owner))
            for (const auto& rdata : set.rdatas)
                out.push_back(base::text::to_hex(rdata.data(), rdata.size()));
    return out;
}

const RRset& set_of(const Loaded& loaded, const std::string& owner, std::uint16_t wanted) {
    for (const RRset& set : loaded.zone->rrsets)
        if (set.type == wanted && set.owner == *parse_name(owner)) return set;
    throw std::out_of_range(owner);
}

TEST(Loader, ReadsAZoneWithAllThatMasterFilesAllow) {
    const Loaded loaded = load(
        "; a comment\n"
        "$ORIGIN net.\n"
        "$TTL 1h30m\n"
        "example IN SOA ns1.example (\r\n"
        "    hostmaster.example ; who\n"
        "    7   ; serial\n"
        "    1h 15m 1w 60 )\n"
        "        NS ns1.example\n"
        "        60 IN MX 10 mail.example.net.\n"
        "        in 60 mx 20 @\n"
        "$ORIGIN example.net.\n"
        "ns1 A 192.0.2.53 ; \"not a string\n"
        "    AAAA 2001:db8::53\n"
        "*.w 5 TXT \"a;b\" c\\;d \"e \\\"f\"\n"
        "_sip._tcp SRV 1 2 5060 ns1\n"
        "a\\.b.sub CNAME ns1"
    );
    for (const Finding& one : loaded.findings) ADD_FAILURE() << to_string(one);
    ASSERT_TRUE(loaded.zone);
    EXPECT_EQ(loaded.zone->origin, *parse_name("example.net."));
    EXPECT_EQ(loaded.zone->serial, 7u);
    EXPECT_EQ(loaded.zone->rrsets.size(), 8u);
    EXPECT_EQ(set_of(loaded, "example.net", type::soa).ttl, 5400u);
    const RRset& mail = set_of(loaded, "example.net", type::mx);
    EXPECT_EQ(mail.ttl, 60u);
    ASSERT_EQ(mail.rdatas.size(), 2u);
    EXPECT_EQ(base::text::to_hex(mail.rdatas[1].data(), mail.rdatas[1].size()), "0014036e657400")
        << "'@' is the current origin, net.";
    EXPECT_EQ(set_of(loaded, "*.w.example.net", type::txt).ttl, 5u);
    EXPECT_EQ(set_of(loaded, "a\\.b.sub.example.net", type::cname).rdatas.size(), 1u);
}

TEST(Loader, RdataIsUncompressedWireForm) {
    EXPECT_EQ(
        hex("", "example.net", type::soa),
        (Texts{"036e7331076578616d706c65036e6574000a686f73746d6173746572076578616d706c65036e657400"
               "0000002a00000e100000038400093a800000003c"})
    );
    EXPECT_EQ(
        hex("w TXT \"a;b\" c\\;d \"\"", "w.example.net", type::txt), (Texts{"03613b6203633b6400"})
    );
    EXPECT_EQ(hex("w TXT a\\000b", "w.example.net", type::txt), (Texts{"03610062"}));
    EXPECT_EQ(hex("w TXT \"a\"\"b\"", "w.example.net", type::txt), (Texts{"01610162"}));
    EXPECT_EQ(hex("w CNAME a\\000b.", "w.example.net", type::cname), (Texts{"0361006200"}));
    EXPECT_EQ(hex("w CNAME a\\.b.", "w.example.net", type::cname), (Texts{"03612e6200"}));
    EXPECT_EQ(hex("w A \\# 4 C0000201", "w.example.net", type::a), (Texts{"c0000201"}));
    EXPECT_EQ(hex("w TYPE1 192.0.2.1", "w.example.net", type::a), (Texts{"c0000201"}));
    EXPECT_EQ(hex("w TYPE65400 \\# 3 01 0203", "w.example.net", 65400), (Texts{"010203"}));
    EXPECT_EQ(hex("w TYPE65400 \\# 0", "w.example.net", 65400), (Texts{""}));
    EXPECT_EQ(
        hex("w CAA 0 issue \"ca.example\"", "w.example.net", type::caa),
        (Texts{"0005697373756563612e6578616d706c65"})
    );
    EXPECT_EQ(
        hex("w NAPTR 100 10 \"S\" \"AAA+D2T\" \"\" x.", "w.example.net", type::naptr),
        (Texts{"0064000a0153074141412b44325400017800"})
    );
    EXPECT_EQ(
        hex("w HTTPS 1 . port=443 alpn=\"h2,h3\"", "w.example.net", type::https),
        (Texts{"000100000100060268320268330003000201bb"})
    ) << "parameters are sorted";
}

TEST(Loader, OwnersKeepTheirBytes) {
    EXPECT_EQ(hex("a\\000b A 192.0.2.1", "a\\000b.example.net", type::a).size(), 1u);
    EXPECT_EQ(hex("a\\046b A 192.0.2.1", "a\\.b.example.net", type::a).size(), 1u);
    EXPECT_EQ(finding("a\\\\. A 192.0.2.1"), "5: a\\\\. is not in the zone example.net.")
        << "the dot is not escaped: an absolute name";
}

TEST(Loader, RepeatedRecordsCountOnceAndKeepTheirOrder) {
    EXPECT_EQ(
        hex("w A 192.0.2.2\nw A 192.0.2.1\nW A 192.0.2.2\nw A 192.0.2.3", "w.example.net", type::a),
        (Texts{"c0000202", "c0000201", "c0000203"})
    );
    EXPECT_EQ(hex("w CNAME a\nw CNAME a", "w.example.net", type::cname).size(), 1u);
}

TEST(Loader, RefusesBrokenText) {
    EXPECT_EQ(finding("w TXT \"open\nv A 192.0.2.1"), "5: a quote that is not closed in its line");
    EXPECT_EQ(finding("w A 192.0.2.1 )"), "5: a ')' without '('");
    EXPECT_EQ(finding("w A ( 192.0.2.1\nv A 192.0.2.2\n"), "5: the '(' in line 5 is never closed");
    EXPECT_EQ(finding(std::string("w A 192.0.2.1\0", 14)), "5: a NUL byte in the text");
    EXPECT_EQ(finding("w TXT a\\"), "5: a '\\' at the end of the line");
    EXPECT_EQ(finding("w TXT a\"b c\"d"), "5: a quote in the middle of a word");
    const std::string filler(1000, 'x');
    std::string endless = "w TXT (\n";
    for (int i = 0; i < 2000; ++i) endless += filler + "\n";
    EXPECT_EQ(
        findings(kHead + endless).front(),
        "t.zone:5: an entry of more than 1 MiB; is a ')' missing?"
    );
}

TEST(Loader, RefusesDirectivesItDoesNotFollow) {
    EXPECT_EQ(
        finding("$INCLUDE other.zone"),
        "5: $INCLUDE is not supported: put the records into this file"
    );
    EXPECT_EQ(
        finding("$GENERATE 1-4 h$ A 192.0.2.$"),
        "5: $GENERATE is not supported: write the records out"
    );
    EXPECT_EQ(finding("$FOO x"), "5: unknown directive '$FOO'");
    EXPECT_EQ(finding("$TTL"), "5: $TTL takes one value");
    EXPECT_EQ(finding("$ORIGIN a b"), "5: $ORIGIN takes one value");
    EXPECT_EQ(finding("$TTL 4294967296"), "5: '4294967296' is not a TTL of 0..2147483647 s");
}

TEST(Loader, RefusesWhatLdnsWouldTakeForTypeZero) {
    EXPECT_EQ(finding("w *.w"), "5: unknown type '*.w'");
    EXPECT_EQ(finding("w IN 60 TIPE 1.2.3.4"), "5: unknown type 'TIPE'");
    EXPECT_EQ(finding("w TYPE0 \\# 0"), "5: unknown type 'TYPE0'");
    EXPECT_EQ(finding("w TYPE65536 \\# 0"), "5: unknown type 'TYPE65536'");
    EXPECT_EQ(finding("w 60 IN"), "5: a record without a type");
    EXPECT_EQ(finding("w ANY \\# 0"), "5: class ANY; only IN is served");
    EXPECT_EQ(finding("w AXFR \\# 0"), "5: type AXFR is for questions, not for zones");
    EXPECT_EQ(finding("w OPT \\# 0"), "5: type OPT is for questions, not for zones");
}

TEST(Loader, RefusesTtlsOutOfRange) {
    EXPECT_EQ(
        finding("w 4294967297 A 192.0.2.1"), "5: '4294967297' is not a TTL of 0..2147483647 s"
    );
    EXPECT_EQ(
        finding("w 2147483648 A 192.0.2.1"), "5: '2147483648' is not a TTL of 0..2147483647 s"
    );
    EXPECT_EQ(finding("w 2147483647 A 192.0.2.1"), "");
    EXPECT_EQ(finding("w 1x A 192.0.2.1"), "5: '1x' is not a TTL of 0..2147483647 s");
    EXPECT_EQ(finding("w 3551w A 192.0.2.1"), "5: '3551w' is not a TTL of 0..2147483647 s");
}

TEST(Loader, RefusesOtherClassesAndForeignNames) {
    EXPECT_EQ(finding("w CH A 192.0.2.1"), "5: class CH; only IN is served");
    EXPECT_EQ(finding("w 60 CLASS3 TXT x"), "5: class CLASS3; only IN is served");
    EXPECT_EQ(finding("w CLASS1 TXT x"), "");
    EXPECT_EQ(
        finding("www.example.org. A 192.0.2.1"),
        "5: www.example.org. is not in the zone example.net."
    );
    EXPECT_EQ(
        finding("notexample.net. A 192.0.2.1"), "5: notexample.net. is not in the zone example.net."
    );
    EXPECT_EQ(finding("\"w\" A 192.0.2.1"), "5: a name in quotes: '\"w\"'");
    EXPECT_EQ(finding("a..b A 192.0.2.1").substr(0, 25), "5: 'a..b' is not a name: ");
    EXPECT_EQ(finding(std::string(64, 'x') + " A 192.0.2.1").substr(0, 5), "5: 'x");
}

TEST(Loader, RefusesSignedZones) {
    for (const char* const record :
         {"DNSKEY 256 3 13 AAAA",
          "NSEC a A",
          "NSEC3PARAM 1 0 0 -",
          "RRSIG A 13 2 300 20300101000000 20200101000000 1 example.net. AAAA"})
        EXPECT_NE(
            finding(std::string("w ") + record).find("signed zones are not supported yet"),
            std::string::npos
        ) << record;
    EXPECT_EQ(finding("w DS 1 8 2 00"), "") << "the parent's side of a signed child is data";
}

TEST(Loader, RefusesWhatASoundZoneCannotHold) {
    EXPECT_EQ(finding("w CNAME a\nw TXT x"), "5: other data beside the CNAME of w.example.net.");
    EXPECT_EQ(finding("w TXT x\nw CNAME a"), "6: other data beside the CNAME of w.example.net.");
    EXPECT_EQ(
        finding("w CNAME a\nw CNAME b"),
        "6: a second CNAME for w.example.net.; the first is in line 5"
    );
    EXPECT_EQ(finding("@ CNAME a"), "5: a CNAME at the apex example.net.");
    EXPECT_EQ(finding("@ SOA a b 1 2 3 4 5"), "5: a second SOA; the first is in line 2");
    EXPECT_EQ(finding("w SOA a b 1 2 3 4 5"), "5: a SOA at w.example.net., which is not the apex");
    EXPECT_EQ(
        findings("a 60 A 192.0.2.1\n"),
        (Texts{"t.zone: no SOA record at example.net.", "t.zone: no NS record at example.net."})
    );
    EXPECT_EQ(findings("").size(), 2u);
}

TEST(Loader, RefusesNumbersThatLdnsWouldWrapAround) {
    EXPECT_EQ(finding("w MX 65536 a"), "5: '65536' is not a number of 0..65535");
    EXPECT_EQ(finding("w MX -1 a"), "5: '-1' is not a number of 0..65535");
    EXPECT_EQ(finding("w SRV 0 0 70000 a"), "5: '70000' is not a number of 0..65535");
    EXPECT_EQ(finding("w CAA 256 issue \"a\""), "5: '256' is not a number of 0..255");
    EXPECT_EQ(finding("w TLSA 3 1 256 00"), "5: '256' is not a number of 0..255");
    EXPECT_EQ(finding("w DS 65536 8 2 00"), "5: '65536' is not a number of 0..65535");
    EXPECT_EQ(finding("w DS 1 256 2 00"), "5: '256' is not a number of 0..255");
    EXPECT_EQ(finding("w HTTPS 1 . port=65536"), "5: 'port=65536' is not a port of 0..65535");
    EXPECT_EQ(
        findings("@ 60 SOA a b 4294967296 1 1 1 1\n@ NS a\n"),
        (Texts{"t.zone:1: '4294967296' is not a number of 0..4294967295"})
    ) << "and not that there is no SOA";
    EXPECT_EQ(
        findings("@ 60 SOA a b 1 99999999999 1 1 1\n@ NS a\n"),
        (Texts{"t.zone:1: '99999999999' is not a time of 0..2147483647 s"})
    );
}

TEST(Loader, RefusesMalformedRdata) {
    EXPECT_NE(finding("w A 192.0.2"), "");
    EXPECT_NE(finding("w A 192.0.2.1 x"), "");
    EXPECT_NE(finding("w A"), "");
    EXPECT_NE(finding("w TXT"), "");
    EXPECT_NE(finding("w TXT " + std::string(256, 'x')), "");
    EXPECT_NE(finding("w A \\# 3 C00002"), "");
    EXPECT_NE(finding("w NS \\# 2 C000"), "");
    EXPECT_NE(finding("w TYPE65400 abc"), "");
    EXPECT_EQ(finding("w SOA \\# 4 0001C000"), "5: a SOA at w.example.net., which is not the apex");
    EXPECT_EQ(
        findings("@ 60 SOA \\# 4 0001C000\n@ NS a\n"), (Texts{"t.zone:1: malformed SOA rdata"})
    );
    EXPECT_EQ(finding("w SVCB 1 . alpn=h2 alpn=h3"), "5: SvcParam key 1 stands twice");
    EXPECT_EQ(
        finding("w SVCB \\# 15 0001 00 0003 0002 01bb 0001 0002 0161"),
        "5: SvcParam keys are not in order"
    );
}

TEST(Loader, RefusesRdataThatLdnsWouldCutShort) {
    std::string long_text = "w TXT";
    for (int i = 0; i < 300; ++i) long_text += " \"" + std::string(255, 'x') + "\"";
    EXPECT_EQ(finding(long_text), "5: rdata of more than 65000 characters");
    std::string fits = "w TXT";
    for (int i = 0; i < 250; ++i) fits += " \"" + std::string(255, 'x') + "\"";
    const Texts rdata = hex(fits, "w.example.net", type::txt);
    ASSERT_EQ(rdata.size(), 1u);
    EXPECT_EQ(rdata[0].size(), 2u * 250 * 256) << "nothing is lost";
}

TEST(Loader, WarnsOfDifferentTtlsAndTakesTheLeast) {
    const Loaded loaded = load(kHead + "w 60 A 192.0.2.1\nw 30 A 192.0.2.2\nw 90 A 192.0.2.3\n");
    ASSERT_TRUE(loaded.zone);
    EXPECT_EQ(set_of(loaded, "w.example.net", type::a).ttl, 30u);
    ASSERT_EQ(loaded.findings.size(), 2u);
    EXPECT_EQ(
        to_string(loaded.findings[0]),
        "t.zone:6: warning: TTL 30 differs from that of the other A records of w.example.net. "
        "(60); "
        "30 is taken"
    );
}

TEST(Loader, FindsATtlByTheOldRules) {
    const Loaded loaded = load(
        "@ SOA a b 1 2 3 4 77\n"
        "@ NS a\n"
        "w 60 A 192.0.2.1\n"
        "v A 192.0.2.2\n"
        "$TTL 5\n"
        "u A 192.0.2.3\n"
    );
    ASSERT_TRUE(loaded.zone);
    EXPECT_EQ(loaded.findings.size(), 1u) << "the SOA without a TTL";
    EXPECT_EQ(set_of(loaded, "example.net", type::soa).ttl, 77u);
    EXPECT_EQ(set_of(loaded, "example.net", type::ns).ttl, 77u);
    EXPECT_EQ(set_of(loaded, "v.example.net", type::a).ttl, 60u);
    EXPECT_EQ(set_of(loaded, "u.example.net", type::a).ttl, 5u);
    EXPECT_EQ(
        findings("@ NS a\n").at(1),
        "t.zone:1: no TTL: neither the record nor $TTL nor a record before has one"
    );
}

TEST(Loader, ReportsAllFindingsInOrderOfLines) {
    EXPECT_EQ(
        findings("w A 1.2.3.4.5\n" + kHead + " BAD\n$WHAT\nx CH A 192.0.2.1\n@ CNAME y\n").size(),
        5u
    );
    const Texts all = findings("  A 192.0.2.1\n" + kHead + "a BAD\nb WORSE\n");
    EXPECT_EQ(
        all,
        (Texts{
            "t.zone:1: the first record has no owner",
            "t.zone:6: unknown type 'BAD'",
            "t.zone:7: unknown type 'WORSE'",
        })
    );
}

TEST(Loader, ABadOwnerDoesNotPassItsLinesToTheOneBefore) {
    const Texts all = findings(kHead + "a..b A 192.0.2.1\n TXT x\n");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1], "t.zone:6: the first record has no owner");
}

TEST(Loader, StopsAfterFiftyErrors) {
    std::string text = kHead;
    for (int i = 0; i < 1000; ++i) text += "w BAD\n";
    EXPECT_EQ(findings(text).size(), kMaxFindings);
}

TEST(Loader, FilesThatCannotBeReadAreFindings) {
    const Name origin = *parse_name("example.net");
    const Loaded missing = load_master_file("/nonexistent/x.zone", origin);
    EXPECT_FALSE(missing.zone);
    ASSERT_EQ(missing.findings.size(), 1u);
    EXPECT_EQ(
        to_string(missing.findings[0]),
        "/nonexistent/x.zone: cannot be read: No such file or directory"
    );
    const Loaded folder = load_master_file("/tmp", origin);
    ASSERT_EQ(folder.findings.size(), 1u);
    EXPECT_EQ(to_string(folder.findings[0]), "/tmp: cannot be read: Is a directory");
}

TEST(Loader, AHundredThousandRecordsLoadInAboutASecond) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("twinsite-loader-" + std::to_string(::getpid()) + ".zone");
    {
        std::ofstream out(path);
        out << kHead;
        for (int i = 0; i < 100'000; ++i)
            out << "host" << i << " IN A 10." << i / 65'536 << '.' << i / 256 % 256 << '.'
                << i % 256 << '\n';
    }
    const std::clock_t begin = std::clock();
    const Loaded loaded = load_master_file(path.string(), *parse_name("example.net"));
    const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::filesystem::remove(path);
    ASSERT_TRUE(loaded.zone);
    EXPECT_EQ(loaded.zone->rrsets.size(), 100'003u);
    RecordProperty("cpu_milliseconds", static_cast<int>(took_s * 1000));
    // Far beyond what is needed, for unoptimised and sanitized builds.
    EXPECT_LT(took_s, 20.0);
}

}  // namespace
}  // namespace twinsite::gslb::zone
