// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.hpp"

#include <gtest/gtest.h>

namespace twinsite::base::text {
namespace {

using namespace std::chrono_literals;

TEST(Text, SplitKeepsEmptyParts) {
    EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
    EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
}

TEST(Text, WordsDropAllBlanks) {
    EXPECT_EQ(words("  a \t b\n"), (std::vector<std::string_view>{"a", "b"}));
    EXPECT_TRUE(words(" \t ").empty());
}

TEST(Text, TrimTakesBlanksFromBothEnds) {
    EXPECT_EQ(trim("\t a b \r\n"), "a b");
    EXPECT_EQ(trim("   "), "");
}

TEST(Text, NumbersMustBeComplete) {
    EXPECT_EQ(parse_number<int>("-12"), -12);
    EXPECT_FALSE(parse_number<int>("12x"));
    EXPECT_FALSE(parse_number<int>(""));
    EXPECT_FALSE(parse_number<std::uint8_t>("256"));
    EXPECT_EQ(parse_double("2.5"), 2.5);
    EXPECT_FALSE(parse_double("2.5s"));
}

TEST(Text, DurationsNeedAUnitAndFit) {
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("10s"), 10s);
    EXPECT_EQ(parse_duration("5m"), 5min);
    EXPECT_EQ(parse_duration("2h"), 2h);
    EXPECT_EQ(parse_duration("3d"), 72h);
    EXPECT_FALSE(parse_duration("10"));
    EXPECT_FALSE(parse_duration("-1s"));
    EXPECT_FALSE(parse_duration("1 s"));
    EXPECT_FALSE(parse_duration("9223372036854775807d"));
}

TEST(Text, DurationsAreShownInTheirLargestWholeUnit) {
    EXPECT_EQ(format_duration(1500ms), "1500ms");
    EXPECT_EQ(format_duration(60s), "1m");
    EXPECT_EQ(format_duration(0ms), "0s");
    EXPECT_EQ(format_duration(48h), "2d");
}

TEST(Text, HexRoundTrip) {
    const std::vector<std::uint8_t> bytes{0x00, 0xff, 0x1a};
    EXPECT_EQ(to_hex(bytes.data(), bytes.size()), "00ff1a");
    EXPECT_EQ(from_hex("00 FF\n1a"), bytes);
    EXPECT_FALSE(from_hex("0"));
    EXPECT_FALSE(from_hex("0g"));
}

TEST(Text, PrintableShowsControlBytesAndBackslashes) {
    EXPECT_EQ(printable(std::string_view("a\0\\\x7f", 4)), "a\\x00\\x5c\\x7f");
}

TEST(Text, NearestSuggestsCloseWordsOnly) {
    EXPECT_EQ(nearest("adress", {"port", "address"}), std::vector<std::string>{"address"});
    EXPECT_TRUE(nearest("zebra", {"port", "address"}).empty());
}

TEST(Text, CaseIsIgnoredForAsciiOnly) {
    EXPECT_TRUE(equals_ignoring_case("WwW", "www"));
    EXPECT_FALSE(equals_ignoring_case("www", "ww"));
    EXPECT_EQ(to_lower("A\xc4z"), "a\xc4z");
}

}  // namespace
}  // namespace twinsite::base::text
