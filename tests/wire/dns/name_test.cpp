// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/name.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::wire::dns {
namespace {

using Bytes = std::vector<std::uint8_t>;

Name name(std::string_view text) {
    return parse_name(text).value();
}
Bytes wire(const Name& value) {
    return {value.wire().begin(), value.wire().end()};
}

TEST(Name, TextBecomesLabelsWithLengths) {
    const Bytes expected = {3, 'w', 'w', 'W', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 0};
    EXPECT_EQ(wire(name("wwW.example.")), expected);
    EXPECT_EQ(wire(name("wwW.example")), expected);
    EXPECT_EQ(wire(name(".")), Bytes{0});
    EXPECT_EQ(wire(Name()), Bytes{0});
}

TEST(Name, EscapesStandForAnyByte) {
    EXPECT_EQ(wire(name("a\\.b.c")), (Bytes{3, 'a', '.', 'b', 1, 'c', 0}));
    EXPECT_EQ(wire(name("\\000\\255\\\\")), (Bytes{3, 0, 255, '\\', 0}));
    EXPECT_EQ(name("a\\.b. c\\;").to_string(), "a\\.b.\\032c\\;.");
}

TEST(Name, TextFormGivesTheSameNameBack) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string label{'x', static_cast<char>(byte), 'y'};
        const Name before = name("example").with_label(label).value();
        EXPECT_EQ(wire(name(before.to_string())), wire(before)) << byte;
    }
    EXPECT_EQ(Name().to_string(), ".");
}

TEST(Name, BadTextIsRefusedWithItsReason) {
    EXPECT_EQ(parse_name("").error(), Errc::empty_label);
    EXPECT_EQ(parse_name("a..b").error(), Errc::empty_label);
    EXPECT_EQ(parse_name(".a").error(), Errc::empty_label);
    EXPECT_EQ(parse_name("a.b..").error(), Errc::empty_label);
    EXPECT_EQ(parse_name("a\\").error(), Errc::bad_escape);
    EXPECT_EQ(parse_name("a\\25").error(), Errc::bad_escape);
    EXPECT_EQ(parse_name("a\\256").error(), Errc::bad_escape);
    EXPECT_EQ(parse_name(std::string(64, 'a')).error(), Errc::label_too_long);
    EXPECT_FALSE(parse_name(std::string(63, 'a')).has_error());
}

TEST(Name, HasAtMost255Bytes) {
    const std::string label(63, 'a');
    const std::string three = label + "." + label + "." + label + ".";
    EXPECT_EQ(name(three + std::string(61, 'b')).size_bytes(), 255u);
    EXPECT_EQ(parse_name(three + std::string(62, 'b')).error(), Errc::name_too_long);
    const Name longest = name(three + std::string(61, 'b'));
    EXPECT_EQ(longest.with_label("x").error(), Errc::name_too_long);
    EXPECT_EQ(name("x").joined_to(longest).error(), Errc::name_too_long);
}

TEST(Name, KnowsItsLabelsAndAncestors) {
    const Name www = name("www.Example.net");
    EXPECT_EQ(www.label_count(), 3u);
    EXPECT_EQ(www.labels(), (std::vector<std::string_view>{"www", "Example", "net"}));
    EXPECT_EQ(www.parent(), name("example.net"));
    EXPECT_TRUE(Name().parent().is_root());
    EXPECT_TRUE(www.is_at_or_below(name("eXample.net")));
    EXPECT_TRUE(www.is_at_or_below(www));
    EXPECT_TRUE(www.is_at_or_below(Name()));
    EXPECT_FALSE(name("example.net").is_at_or_below(www));
    // Same bytes at the end, but the cut would go through a label.
    EXPECT_FALSE(name("a\\003net").is_at_or_below(name("net")));
    EXPECT_TRUE(name("*.net").is_wildcard());
    EXPECT_FALSE(name("*a.net").is_wildcard());
    EXPECT_FALSE(name("net").is_wildcard());
    EXPECT_EQ(name("www").joined_to(name("example.net")).value(), www);
    EXPECT_EQ(name("net").with_label("").error(), Errc::empty_label);
    EXPECT_EQ(name("net").with_label(std::string(64, 'a')).error(), Errc::label_too_long);
}

TEST(Name, ComparesAndHashesWithoutCase) {
    EXPECT_EQ(name("WWW.example"), name("www.EXAMPLE"));
    EXPECT_NE(name("www.example"), name("ww.example"));
    EXPECT_EQ(std::hash<Name>()(name("WWW.example")), std::hash<Name>()(name("www.EXAMPLE")));
    EXPECT_EQ(name("A[Z").lowered().to_string(), "a[z.");
    EXPECT_EQ(name("AZ").to_string(), "AZ.");
}

TEST(Name, CanonicalOrderIsThatOfTheRfc) {
    // RFC 4034 section 6.1.
    const std::array order = {
        name("example"),
        name("a.example"),
        name("yljkjljk.a.example"),
        name("Z.a.example"),
        name("zABC.a.EXAMPLE"),
        name("z.example"),
        name("\\001.z.example"),
        name("*.z.example"),
        name("\\200.z.example"),
    };
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < order.size(); ++j)
            EXPECT_EQ(order[i] <=> order[j], i <=> j) << i << " " << j;
}

TEST(DecodeName, FollowsPointersBackwards) {
    const Bytes message = {3, 'n', 'e', 't', 0, 1, 'a', 0xC0, 0, 1, 'b', 0xC0, 5, 0xFF};
    std::size_t at = 9;
    EXPECT_EQ(decode_name(message, at).value(), name("b.a.net"));
    EXPECT_EQ(at, 13u);
    at = 0;
    EXPECT_EQ(decode_name(message, at).value(), name("net"));
    EXPECT_EQ(at, 5u);
}

TEST(DecodeName, RefusesWhatIsNotAName) {
    const auto error = [](Bytes message, std::size_t at = 0) {
        return decode_name(message, at).error();
    };
    EXPECT_EQ(error({}), Errc::truncated);
    EXPECT_EQ(error({0}, 7), Errc::truncated);
    EXPECT_EQ(error({3, 'a', 'b'}), Errc::truncated);
    EXPECT_EQ(error({1, 'a'}), Errc::truncated);
    EXPECT_EQ(error({0xC0}), Errc::truncated);
    EXPECT_EQ(error({0xC0, 0}), Errc::bad_pointer);
    EXPECT_EQ(error({1, 'a', 0xC0, 0}), Errc::bad_pointer);
    EXPECT_EQ(error({0xC0, 2, 0}), Errc::bad_pointer);
    EXPECT_EQ(error({0x40, 0}), Errc::bad_label_type);
    EXPECT_EQ(error({0x80, 0}), Errc::bad_label_type);
}

TEST(DecodeName, EndsWhenPointersWouldMakeItTooLong) {
    Bytes message(64, 'a');
    message[0] = 63;
    for (int i = 0; i < 4; ++i) {  // each name is 64 bytes longer than the one it points to
        const std::size_t before = i == 0 ? 0 : message.size() - 66;
        if (i == 0) message.push_back(0);
        message.push_back(63);
        message.insert(message.end(), 63, 'b');
        message.push_back(0xC0);
        message.push_back(static_cast<std::uint8_t>(before));
    }
    std::size_t at = message.size() - 66;
    EXPECT_EQ(decode_name(message, at).error(), Errc::name_too_long);
}

TEST(DecodeName, LeavesTheOffsetAloneOnFailure) {
    const Bytes message = {1, 'a', 0xC0, 0};
    std::size_t at = 0;
    EXPECT_TRUE(decode_name(message, at).has_error());
    EXPECT_EQ(at, 0u);
}

TEST(Error, EachHasItsOwnWords) {
    EXPECT_EQ(make_error_code(Errc::truncated).message(), "the data ends inside a field");
    EXPECT_STREQ(make_error_code(Errc::truncated).category().name(), "dns");
    EXPECT_NE(
        make_error_code(Errc::bad_pointer).message(), make_error_code(Errc::bad_option).message()
    );
}

}  // namespace
}  // namespace twinsite::wire::dns
