// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/master_text.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace twinsite::gslb::zone {
namespace {

using Words = std::vector<std::string>;

TEST(MasterText, CutsLinesIntoWords) {
    std::istringstream in(
        "; nothing here\n"
        "\n"
        "a\tb  c;d\n"
        "  e \"f g\";h\n"
        "i j=\"k l\"m \\; \\\" n\\ o\r\n"
        "p (q\n"
        "  r ; s )\n"
        "( t ) ) u\n"
        "v(w)x"
    );
    MasterReader reader(in);
    MasterEntry entry;
    ASSERT_TRUE(reader.next(entry));
    EXPECT_EQ(entry.line, 3);
    EXPECT_FALSE(entry.begins_blank);
    EXPECT_EQ(entry.words, (Words{"a", "b", "c"}));
    ASSERT_TRUE(reader.next(entry));
    EXPECT_TRUE(entry.begins_blank);
    EXPECT_EQ(entry.words, (Words{"e", "\"f g\""}));
    ASSERT_TRUE(reader.next(entry));
    EXPECT_EQ(entry.words, (Words{"i", "j=\"k l\"m", "\\;", "\\\"", "n\\ o"}));
    ASSERT_TRUE(reader.next(entry));
    EXPECT_EQ(entry.line, 6);
    EXPECT_EQ(entry.words, (Words{"p", "q", "r", "t", "u"}));
    EXPECT_EQ(entry.problem, "");
    ASSERT_TRUE(reader.next(entry));
    EXPECT_EQ(entry.words, (Words{"v", "w", "x"}));
    EXPECT_FALSE(reader.next(entry));
}

TEST(MasterText, TtlsAreSecondsOrUnits) {
    EXPECT_EQ(parse_ttl("0"), 0u);
    EXPECT_EQ(parse_ttl("2147483647"), 2'147'483'647u);
    EXPECT_EQ(parse_ttl("1h30m"), 5400u);
    EXPECT_EQ(parse_ttl("1W2D3H4M5S"), 788'645u);
    for (const char* const bad :
         {"", "2147483648", "99999999999999999999999", "1h30", "h", "1hh", "1x", "-1", "1.5", " 1"})
        EXPECT_EQ(parse_ttl(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace twinsite::gslb::zone
