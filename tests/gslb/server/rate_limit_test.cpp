// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/rate_limit.hpp"

#include <gtest/gtest.h>

#include "base/text/ip.hpp"

namespace twinsite::gslb::server {
namespace {

using Kind = answer::Outcome::Kind;
using Verdict = RateTable::Verdict;

base::text::IpAddress ip(const char* text) {
    return *base::text::parse_ip(text);
}

RateLimit limit(std::uint32_t per_second, std::uint32_t slip) {
    RateLimit out;
    out.per_second = per_second;
    out.slip = slip;
    return out;
}

struct RateLimitTest : testing::Test {
    RateTable table{42};
};

TEST_F(RateLimitTest, OffUnlessALimitIsSet) {
    EXPECT_FALSE(table.is_on());
    table.set_limit(limit(5, 2));
    EXPECT_TRUE(table.is_on());
    table.set_limit({});
    EXPECT_FALSE(table.is_on());
}

TEST_F(RateLimitTest, OverTheLimitEveryOtherReplySlipsThroughCut) {
    table.set_limit(limit(3, 2));
    const auto count = [&](std::uint32_t now_s) {
        return table.count(ip("192.0.2.1"), Kind::answer, now_s);
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(count(10), Verdict::send);
    EXPECT_EQ(count(10), Verdict::drop);
    EXPECT_EQ(count(10), Verdict::cut);
    EXPECT_EQ(count(10), Verdict::drop);
    EXPECT_EQ(count(10), Verdict::cut);
    EXPECT_EQ(count(11), Verdict::send) << "a new second";
}

TEST_F(RateLimitTest, SlipOneCutsAllAndZeroNone) {
    table.set_limit(limit(1, 1));
    EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::error, 1), Verdict::send);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::error, 1), Verdict::cut);
    table.set_limit(limit(1, 0));
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::error, 1), Verdict::drop);
}

TEST_F(RateLimitTest, NetworksAndKindsCountApart) {
    table.set_limit(limit(1, 0));
    EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::answer, 1), Verdict::send);
    EXPECT_EQ(table.count(ip("192.0.2.99"), Kind::answer, 1), Verdict::drop) << "the same /24";
    EXPECT_EQ(table.count(ip("192.0.3.1"), Kind::answer, 1), Verdict::send);
    EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::name_error, 1), Verdict::send);
    EXPECT_EQ(table.count(ip("2001:db8:0:1ff::1"), Kind::answer, 1), Verdict::send);
    EXPECT_EQ(table.count(ip("2001:db8:0:100::9"), Kind::answer, 1), Verdict::drop) << "a /56";
    EXPECT_EQ(table.count(ip("2001:db8:0:200::9"), Kind::answer, 1), Verdict::send);
}

TEST_F(RateLimitTest, AFullTableKeepsTheLoudest) {
    RateLimit small = limit(5, 0);
    small.table_entries = 4;  // one set
    table.set_limit(small);
    for (int i = 0; i < 100; ++i) table.count(ip("192.0.2.1"), Kind::answer, 1);
    for (std::uint32_t network = 0; network < 1000; ++network)
        table.count(base::text::IpAddress::from_v4(network << 8), Kind::answer, 1);
    EXPECT_EQ(table.count(ip("192.0.2.1"), Kind::answer, 1), Verdict::drop);
}

}  // namespace
}  // namespace twinsite::gslb::server
