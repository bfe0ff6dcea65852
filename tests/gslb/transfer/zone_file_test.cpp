// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/zone_file.hpp"

#include <gtest/gtest.h>

#include "gslb/transfer/copies.hpp"
#include "tests/gslb/transfer/zones.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::transfer {
namespace {

wire::dns::Name name(std::string_view text) {
    return wire::dns::parse_name(text).value();
}

TEST(ZoneFile, GivesTheZoneBack) {
    const auto zone =
        zone_with(7, "a.t.example. 60 TXT \"x\" \"y\"\na.t.example. 60 A 192.0.2.7\n");
    const auto back = decode_zone(encode_zone(zone));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->serial, 7U);
    EXPECT_EQ(back->rrsets.size(), zone.rrsets.size());
    EXPECT_FALSE(find_difference(zone, *back));
}

TEST(ZoneFile, SeesEveryDamage) {
    const auto good = encode_zone(zone_with(7));
    for (std::size_t at = 0; at < good.size(); ++at) {
        auto bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        EXPECT_FALSE(decode_zone(bad)) << at;
        EXPECT_FALSE(decode_zone(good.substr(0, at))) << at;
    }
}

TEST(ZoneFile, GivesAJournalBackToItsZoneOnly) {
    std::vector<std::shared_ptr<const Difference>> journal;
    journal.push_back(std::make_shared<const Difference>(
        *find_difference(zone_with(7), zone_with(8, "a.t.example. 60 A 192.0.2.7\n"))
    ));
    const auto bytes = encode_journal(name("t.example"), journal);
    const auto back = decode_journal(bytes, name("T.example"));
    ASSERT_TRUE(back);
    ASSERT_EQ(back->size(), 1U);
    EXPECT_EQ(*back->front(), *journal.front());
    EXPECT_FALSE(decode_journal(bytes, name("u.example")));
    journal.push_back(journal.front());
    EXPECT_FALSE(decode_journal(encode_journal(name("t.example"), journal), name("t.example")))
        << "a gap";
}

TEST(ZoneFile, NamesAreSafeAndDiffer) {
    EXPECT_EQ(file_stem(name("Example.NET")), "example.net");
    EXPECT_EQ(file_stem(name(".")), "%root");
    EXPECT_EQ(file_stem(name("a/.b.example")).find('/'), std::string::npos);
    EXPECT_NE(file_stem(name("a\\.b.example")), file_stem(name("a.b.example")));
}

TEST(Copies, ComeBackFromTheDisk) {
    const tests::TemporaryFolder folder;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto origin = name("t.example");
    {
        Copies copies;
        EXPECT_EQ(copies.usable(folder.path(), origin), nullptr);
        ASSERT_TRUE(copies.put(folder.path(), shared_zone(7), now));
        EXPECT_EQ(copies.usable(folder.path(), origin)->serial, 7U);
    }
    Copies again;
    ASSERT_NE(again.usable(folder.path(), origin), nullptr);
    EXPECT_EQ(again.find(folder.path(), origin).confirmed, now);
    again.set_expired(origin);
    EXPECT_EQ(again.usable(folder.path(), origin), nullptr);
    EXPECT_TRUE(again.confirm(folder.path(), origin, now));
    EXPECT_NE(again.usable(folder.path(), origin), nullptr);
}

TEST(Copies, ThatAreTooOldAreNotUsedAfterARestart) {
    const tests::TemporaryFolder folder;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    ASSERT_TRUE(Copies().put(folder.path(), shared_zone(7), now - std::chrono::seconds(41)));
    Copies again;  // the SOA says 40 s
    EXPECT_EQ(again.usable(folder.path(), name("t.example")), nullptr);
    EXPECT_NE(again.find(folder.path(), name("t.example")).zone, nullptr);
}

}  // namespace
}  // namespace twinsite::gslb::transfer
