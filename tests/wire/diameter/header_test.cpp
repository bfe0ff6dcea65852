// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/header.hpp"

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::hex;

TEST(Header, IsWrittenAndReadByteForByte) {
    std::array<std::uint8_t, 20> bytes{};
    encode_header({0xc0, 272, 4, 0x11223344, 0x55667788}, 456, bytes.data());
    EXPECT_EQ(test::to_hex(bytes), "010001c8c0000110000000041122334455667788");
    const HeaderView view(bytes);
    EXPECT_EQ(view.version(), 1);
    EXPECT_EQ(view.length(), 456U);
    EXPECT_EQ(view.command(), command::kCreditControl);
    EXPECT_EQ(view.application(), application::kCreditControl);
    EXPECT_EQ(view.hop_by_hop(), 0x11223344U);
    EXPECT_EQ(view.end_to_end(), 0x55667788U);
    EXPECT_TRUE(view.is_request());
    EXPECT_TRUE(view.is_proxiable());
    EXPECT_FALSE(view.is_error());
    EXPECT_FALSE(view.is_of_base_protocol());
}

TEST(Header, RelayChangesTouchOnlyTheirBytes) {
    auto message = hex(test::kFilledPadding);
    set_hop_by_hop(message.data(), 0xa1b2c3d4);
    set_retransmitted(message.data());
    EXPECT_EQ(
        test::to_hex(message),
        "01000030d000011000000004a1b2c3d400000002000001074000000d633b313b"
        "31ffffff000001084000000b632e7800"
    );
}

TEST(CheckFrame, TestsVersionThenLowerBoundThenMultipleOfFourThenUpperBound) {
    const auto check = [](std::string_view first4) {
        return check_frame(hex(first4).data(), 65'536);
    };
    EXPECT_EQ(check("02000014"), Errc::bad_version);
    EXPECT_EQ(check("01000000"), Errc::bad_length);
    EXPECT_EQ(check("01000005"), Errc::bad_length);
    EXPECT_EQ(check("01000010"), Errc::bad_length);
    EXPECT_EQ(check("0100001f"), Errc::bad_length);
    EXPECT_EQ(check("01010004"), Errc::too_long);
    EXPECT_EQ(check("01000014"), std::nullopt);
    EXPECT_EQ(check("01010000"), std::nullopt);
}

TEST(CheckBits, ErrorBitBelongsToAnswersAndRetransmissionToRequests) {
    auto message = hex(test::kErrorBitInRequest);
    EXPECT_EQ(check_bits(HeaderView(message)), Errc::bad_header_bits);
    EXPECT_EQ(result_code_of(Errc::bad_header_bits), 3008U);
    const auto with_flags = [&message](std::uint8_t flags) {
        message[4] = flags;
        return check_bits(HeaderView(message));
    };
    EXPECT_FALSE(with_flags(0xd0)) << "request, retransmitted";
    EXPECT_FALSE(with_flags(0x60)) << "error answer";
    EXPECT_TRUE(with_flags(0x50)) << "answer with T";
    EXPECT_FALSE(with_flags(0xcf)) << "reserved bits are ignored";
}

TEST(ResultCodes, EveryFaultHasItsCode) {
    EXPECT_EQ(result_code_of(Errc::bad_version), 5011U);
    EXPECT_EQ(result_code_of(Errc::bad_length), 5015U);
    EXPECT_EQ(result_code_of(Errc::too_long), 5015U);
    EXPECT_EQ(result_code_of(Errc::bad_avp_length), 5014U);
    EXPECT_EQ(result_code_of(Errc::missing_avp), 5005U);
    EXPECT_EQ(result_code_of(Errc::bad_avp_value), 5004U);
    EXPECT_EQ(result_code_of(Errc::too_many_entries), 5009U);
    EXPECT_EQ(make_error_code(Errc::bad_length).message(), "invalid message length");
}

}  // namespace
}  // namespace twinsite::wire::diameter
