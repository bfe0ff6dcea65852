// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/difference.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "gslb/transfer/serial.hpp"
#include "tests/gslb/transfer/zones.hpp"

namespace twinsite::gslb::transfer {
namespace {

TEST(Serial, ComparesOnACircle) {
    EXPECT_TRUE(is_newer(1, 0));
    EXPECT_TRUE(is_newer(0, 0xffffffff));
    EXPECT_TRUE(is_newer(0x80000000, 1));
    EXPECT_FALSE(is_newer(5, 5));
    EXPECT_FALSE(is_newer(0xffffffff, 0));
    EXPECT_FALSE(is_newer(0x80000000, 0)) << "half the circle apart: neither is newer";
    EXPECT_FALSE(is_newer(0, 0x80000000));
}

TEST(Difference, LeadsFromOneVersionToTheOther) {
    const auto before = zone_with(7, "a.t.example. 60 A 192.0.2.7\nb.t.example. 60 A 192.0.2.8\n");
    const auto after = zone_with(
        9, "a.t.example. 60 A 192.0.2.7\na.t.example. 60 A 192.0.2.9\nc.t.example. 60 TXT \"x\"\n"
    );
    const auto difference = find_difference(before, after);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->from, 7U);
    EXPECT_EQ(difference->to, 9U);
    EXPECT_EQ(difference->removed.size(), 2U) << "the SOA, b";
    EXPECT_EQ(difference->added.size(), 3U) << "the SOA, another address of a, c";
    const auto result = apply_differences(before, {&*difference, 1});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->serial, 9U);
    EXPECT_FALSE(find_difference(*result, after));
}

TEST(Difference, CarriesAChangeOfTheTtl) {
    const auto before = zone_with(7, "a.t.example. 60 A 192.0.2.7\n");
    const auto after = zone_with(8, "a.t.example. 90 A 192.0.2.7\n");
    const auto difference = find_difference(before, after);
    ASSERT_TRUE(difference);
    const auto result = apply_differences(before, {&*difference, 1});
    ASSERT_TRUE(result);
    EXPECT_FALSE(find_difference(*result, after));
}

TEST(Difference, WithoutAChangeThereIsNone) {
    EXPECT_FALSE(find_difference(zone_with(7), zone_with(7)));
    EXPECT_TRUE(find_difference(zone_with(7), zone_with(8))) << "the serial alone";
}

TEST(Difference, OfAnotherVersionIsNotApplied) {
    const auto difference = find_difference(zone_with(7), zone_with(8));
    EXPECT_EQ(
        apply_differences(zone_with(6), {&*difference, 1}).error(),
        base::Error(Errc::not_incremental)
    );
}

TEST(Difference, RemovesOnlyWhatIsThereAndAddsOnlyWhatIsNot) {
    const auto zone = zone_with(7, "a.t.example. 60 A 192.0.2.7\n");
    auto difference = *find_difference(zone, zone_with(8));
    difference.removed.back().rdata = {192, 0, 2, 99};
    EXPECT_EQ(
        apply_differences(zone, {&difference, 1}).error(), base::Error(Errc::not_incremental)
    );
    difference = *find_difference(zone_with(7), zone_with(8, "a.t.example. 60 A 192.0.2.7\n"));
    EXPECT_EQ(
        apply_differences(zone, {&difference, 1}).error(), base::Error(Errc::not_incremental)
    );
}

TEST(Difference, SeveralAreAppliedInTheirOrder) {
    const auto first = find_difference(zone_with(1), zone_with(2, "a.t.example. 60 A 192.0.2.7\n"));
    const auto second =
        find_difference(zone_with(2, "a.t.example. 60 A 192.0.2.7\n"), zone_with(3));
    const Difference both[] = {*first, *second};
    const auto result = apply_differences(zone_with(1), both);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->serial, 3U);
    EXPECT_FALSE(find_difference(*result, zone_with(3)));
    const Difference reversed[] = {*second, *first};
    EXPECT_FALSE(apply_differences(zone_with(1), reversed));
}

}  // namespace
}  // namespace twinsite::gslb::transfer
