// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/avp.hpp"

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::hex;

TEST(AvpWalk, ReadsCodeFlagsVendorAndDataWithoutPadding) {
    const auto message =
        hex("01000038 c0000110 00000004 00000001 00000002"
            "00000108 4000000b 632e7800"
            "00000378 c0000018 000028af 0000000c 01020304 05060708");
    auto walk = AvpWalk::of_message(message);
    Avp avp;
    ASSERT_TRUE(walk.next(avp));
    EXPECT_EQ(avp.code, 264U);
    EXPECT_EQ(avp.vendor, 0U);
    EXPECT_EQ(avp.text(), "c.x");
    EXPECT_EQ(avp.whole.size(), 11U);
    EXPECT_EQ(avp.offset, 20U);
    EXPECT_TRUE(avp.is(avp::kOriginHost));
    ASSERT_TRUE(walk.next(avp));
    EXPECT_EQ(avp.code, 888U);
    EXPECT_EQ(avp.vendor, 10415U);
    EXPECT_EQ(avp.data.size(), 12U);
    EXPECT_EQ(avp.offset, 32U);
    EXPECT_FALSE(avp.is(888)) << "vendor AVPs are not base AVPs";
    EXPECT_FALSE(walk.next(avp));
    EXPECT_FALSE(walk.fault());
}

TEST(AvpWalk, StopsAtAnAvpOfLengthZero) {
    const auto message = hex(test::kZeroLengthAvp);
    auto walk = AvpWalk::of_message(message);
    Avp avp;
    EXPECT_FALSE(walk.next(avp));
    EXPECT_EQ(walk.fault(), Errc::bad_avp_length);
    EXPECT_EQ(walk.fault_offset(), 20U);
    EXPECT_FALSE(walk.next(avp)) << "a fault is final";
}

TEST(AvpWalk, StopsAtAVendorAvpShorterThanItsHeader) {
    const auto message = hex(test::kShortVendorAvp);
    auto walk = AvpWalk::of_message(message);
    Avp avp;
    EXPECT_TRUE(walk.next(avp));
    EXPECT_FALSE(walk.next(avp));
    EXPECT_EQ(walk.fault(), Errc::bad_avp_length);
    EXPECT_EQ(walk.fault_offset(), 36U);
}

TEST(AvpWalk, RefusesEveryLengthThatReachesBeyondTheMessage) {
    const auto good =
        hex("01000020 80000118 00000000 00000001 00000002 00000108 4000000c 61626364");
    for (std::uint32_t length = 0; length < 64; ++length) {
        Bytes message = good;
        store_u24(message.data() + 25, length);
        auto walk = AvpWalk::of_message(message);
        Avp avp;
        const bool fits = length >= 8 && length <= 12;
        EXPECT_EQ(walk.next(avp), fits) << length;
        if (fits) EXPECT_EQ(avp.data.size(), length - 8);
    }
    Bytes huge = good;
    store_u24(huge.data() + 25, 0xffffff);
    EXPECT_TRUE(check_avps(huge));
}

TEST(AvpWalk, RefusesATailShorterThanAnAvpHeader) {
    const auto message = hex("01000018 80000118 00000000 00000001 00000002 00000108");
    const auto fault = check_avps(message);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->offset, 20U);
    EXPECT_EQ(fault->bytes.size(), 4U);
}

TEST(AvpWalk, AcceptsPaddingOfAnyContentAndNoneAtTheEnd) {
    const auto filled = hex(test::kFilledPadding);
    EXPECT_FALSE(check_avps(filled));
    EXPECT_EQ(find_session_id(filled), "c;1;1");
    const auto group = hex("00000108 4000000b 632e78");  // a group may end unpadded
    auto walk = AvpWalk::of_group(group);
    Avp avp;
    EXPECT_TRUE(walk.next(avp));
    EXPECT_EQ(avp.text(), "c.x");
    EXPECT_FALSE(walk.next(avp));
    EXPECT_FALSE(walk.fault());
}

TEST(FindSessionId, FindsItAnywhereAndKeepsItOpaque) {
    EXPECT_EQ(find_session_id(hex(test::kSessionSecond)), "c;1;1");
    const auto with_nul = hex(test::kNulInSession);
    EXPECT_EQ(find_session_id(with_nul), std::string_view("\0\0c;1;1", 7));
    const auto none =
        hex("01000020 c0000110 00000004 00000001 00000002 00000108 4000000b 632e7800");
    EXPECT_FALSE(find_session_id(none));
    EXPECT_FALSE(find_session_id(hex(test::kZeroLengthAvp))) << "the fault stands before it";
}

TEST(FindSessionId, IgnoresAVendorAvpOfTheSameCode) {
    const auto message =
        hex("01000038 c0000110 00000004 00000001 00000002"
            "00000107 c0000011 000028af 633b323b 32000000 00000107 4000000d 633b313b 31000000");
    EXPECT_EQ(find_session_id(message), "c;1;1");
}

TEST(Avp, NumbersNeedTheirExactSize) {
    const Bytes four = {0, 0, 7, 209};
    const Bytes five = {0, 0, 7, 209, 0};
    Avp avp;
    avp.data = four;
    EXPECT_EQ(avp.u32(), 2001U);
    EXPECT_FALSE(avp.u64());
    avp.data = five;
    EXPECT_FALSE(avp.u32());
}

}  // namespace
}  // namespace twinsite::wire::diameter
