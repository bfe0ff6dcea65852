// SPDX-License-Identifier: Apache-2.0
#include "base/text/ip.hpp"

#include <gtest/gtest.h>

namespace twinsite::base::text {
namespace {

TEST(IpAddress, ParsesBothFamiliesAndShowsThemAgain) {
    for (const auto* text : {"0.0.0.0", "10.1.2.255", "2001:db8::1", "::"}) {
        const auto address = parse_ip(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(to_string(*address), text);
    }
}

TEST(IpAddress, RefusesWhatIsNotAnAddress) {
    for (const auto* text : {"", "10.1.2", "10.1.2.256", "10.1.2.3 ", "host", "1:2", "2001:db8::g"})
        EXPECT_FALSE(parse_ip(text)) << text;
    EXPECT_FALSE(parse_ip(std::string_view("10.1.2.3\0x", 10)));
}

TEST(IpAddress, MappedAddressIsItsIpv4Address) {
    EXPECT_EQ(parse_ip("::ffff:10.1.2.3"), parse_ip("10.1.2.3"));
}

TEST(IpAddress, V4IsInHostOrder) {
    EXPECT_EQ(parse_ip("10.1.2.3")->v4(), 0x0a010203u);
    EXPECT_EQ(IpAddress::from_v4(0x0a010203u), parse_ip("10.1.2.3"));
}

TEST(IpPrefix, BitsBeyondTheLengthAreRefused) {
    EXPECT_TRUE(parse_prefix("10.1.0.0/16"));
    EXPECT_FALSE(parse_prefix("10.1.0.1/16"));
    EXPECT_FALSE(parse_prefix("10.1.0.0/33"));
    EXPECT_FALSE(parse_prefix("10.1.0.0/"));
    EXPECT_TRUE(parse_prefix("2001:db8::/32"));
    EXPECT_FALSE(parse_prefix("2001:db8::/129"));
    EXPECT_EQ(parse_prefix("10.1.2.3")->length, 32);
}

TEST(IpPrefix, ContainsItsOwnAddressesOnly) {
    const auto prefix = *parse_prefix("10.1.8.0/21");
    EXPECT_TRUE(prefix.contains(*parse_ip("10.1.9.1")));
    EXPECT_TRUE(prefix.contains(*parse_ip("10.1.15.255")));
    EXPECT_FALSE(prefix.contains(*parse_ip("10.1.16.0")));
    EXPECT_FALSE(prefix.contains(*parse_ip("2001:db8::1")));
    EXPECT_TRUE(parse_prefix("0.0.0.0/0")->contains(*parse_ip("255.255.255.255")));
}

TEST(IpPrefix, MaskClearsEveryBitBeyondTheLength) {
    EXPECT_EQ(to_string(masked(*parse_ip("255.255.255.255"), 21)), "255.255.248.0");
    EXPECT_EQ(to_string(masked(*parse_ip("ffff:ffff::ffff"), 33)), "ffff:ffff::");
    EXPECT_EQ(to_string(masked(*parse_ip("10.0.0.1"), 0)), "0.0.0.0");
}

}  // namespace
}  // namespace twinsite::base::text
