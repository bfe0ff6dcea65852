// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/credit_control.hpp"

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"
#include "wire/diameter/builder.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::hex;
using test::slb;

CcrFields fields_of(CcRequestType type, std::uint32_t number) {
    CcrFields fields;
    fields.session = "ne1.access.example.net;1876543210;42";
    fields.origin_host = "ne1.access.example.net";
    fields.origin_realm = "access.example.net";
    fields.destination_realm = "example.net";
    fields.subscriber = "8613000000042";
    fields.type = type;
    fields.number = number;
    return fields;
}

TEST(CreditControl, ACcrIsAsLongAsAGatewaysAndReadsBack) {
    const std::pair<CcRequestType, std::uint32_t> all[] = {
        {CcRequestType::initial, 0}, {CcRequestType::update, 1}, {CcRequestType::termination, 2}
    };
    for (const auto& [type, number] : all) {
        Bytes ccr;
        build_ccr(ccr, fields_of(type, number), 1, 2);
        EXPECT_GE(ccr.size(), 400U);
        EXPECT_LE(ccr.size(), 520U);
        EXPECT_FALSE(check_avps(ccr));
        CreditControlRequest read;
        ASSERT_FALSE(read_ccr(ccr, read));
        EXPECT_EQ(read.session, "ne1.access.example.net;1876543210;42");
        EXPECT_EQ(read.origin_host, "ne1.access.example.net");
        EXPECT_EQ(read.type, type);
        EXPECT_EQ(read.number, number);
        EXPECT_EQ(read.rating_group, 100U);
        EXPECT_EQ(read.asks_for_units, type != CcRequestType::termination);
    }
}

TEST(CreditControl, ACcaEchoesAndGrants) {
    Bytes ccr;
    build_ccr(ccr, fields_of(CcRequestType::update, 3), 0x11, 0x22, true);
    EXPECT_TRUE(HeaderView(ccr).is_retransmitted());
    CreditControlRequest request;
    ASSERT_FALSE(read_ccr(ccr, request));
    Bytes cca;
    build_cca(cca, slb(), ccr, request, {});
    EXPECT_EQ(HeaderView(cca).flags(), flag::kProxiable);
    EXPECT_EQ(HeaderView(cca).hop_by_hop(), 0x11U);
    EXPECT_EQ(HeaderView(cca).end_to_end(), 0x22U);
    CreditControlAnswer answer;
    ASSERT_TRUE(read_cca(cca, answer));
    EXPECT_EQ(answer.session, request.session);
    EXPECT_EQ(answer.origin_host, "slb.x");
    EXPECT_EQ(answer.result_code, 2001U);
    EXPECT_EQ(answer.type, CcRequestType::update);
    EXPECT_EQ(answer.number, 3U);
    EXPECT_TRUE(find_avp(cca, avp::kMultipleServicesCreditControl));
    Bytes refusal;
    build_cca(refusal, slb(), ccr, request, {.result_code = 5002});
    EXPECT_FALSE(find_avp(refusal, avp::kMultipleServicesCreditControl));
}

TEST(CreditControl, MissingFieldsAreNamed) {
    const auto code_and_avp = [](const Bytes& message) {
        CreditControlRequest read;
        const auto defect = read_ccr(message, read).value();
        return std::pair(defect.result_code, load_u32(defect.failed_avp.data()));
    };
    EXPECT_EQ(
        code_and_avp(hex("01000014 c0000110 00000004 00000001 00000002")), std::pair(5005U, 263U)
    );
    EXPECT_EQ(code_and_avp(hex(test::kSessionSecond)), std::pair(5005U, 416U));
    Bytes no_number;
    MessageBuilder message(no_number, {0xc0, 272, 4, 1, 2});
    message.text(avp::kSessionId, "s").u32(avp::kCcRequestType, 4).finish();
    EXPECT_EQ(code_and_avp(no_number), std::pair(5005U, 415U));
    EXPECT_EQ(code_and_avp(hex(test::kZeroLengthAvp)), std::pair(5014U, 264U));
}

TEST(CreditControl, AnAnswerWithABrokenAvpIsRefused) {
    CreditControlAnswer answer;
    EXPECT_FALSE(read_cca(hex(test::kZeroLengthAvp), answer));
}

}  // namespace
}  // namespace twinsite::wire::diameter
