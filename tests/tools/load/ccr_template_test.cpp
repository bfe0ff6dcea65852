// SPDX-License-Identifier: Apache-2.0
#include "tools/load/ccr_template.hpp"

#include <gtest/gtest.h>

namespace twinsite::tools::load {
namespace {

using namespace wire::diameter;

const CcrTemplate::Origin kOrigin = {
    "ne0001.access.example.net", "access.example.net", "example.net", 1'700'000'000, 3'900'000'000
};

std::vector<std::string> subscribers(std::span<const std::uint8_t> message) {
    std::vector<std::string> out;
    auto walk = AvpWalk::of_message(message);
    for (Avp avp; walk.next(avp);) {
        if (!avp.is(avp::kSubscriptionId)) continue;
        auto group = AvpWalk::of_group(avp.data);
        for (Avp inner; group.next(inner);)
            if (inner.is(avp::kSubscriptionIdData)) out.emplace_back(inner.text());
    }
    return out;
}

TEST(CcrTemplate, WritesWhatDiffersFromRequestToRequest) {
    const CcrTemplate encoded(kOrigin);
    io::OutputBuffer out;
    encoded.append({CcRequestType::update, 1'234'567'890, 2, 0x11, 0x22, false}, out);
    encoded.append({CcRequestType::termination, 42, 4, 0x33, 0x44, true}, out);
    const auto all = out.content();
    const auto first = all.first(HeaderView(all).length());
    const auto second = all.subspan(first.size());
    ASSERT_EQ(HeaderView(second).length(), second.size());

    CreditControlRequest read;
    ASSERT_FALSE(read_ccr(first, read));
    EXPECT_EQ(read.session, "ne0001.access.example.net;1700000000;1234567890");
    EXPECT_EQ(read.type, CcRequestType::update);
    EXPECT_EQ(read.number, 2U);
    EXPECT_EQ(HeaderView(first).hop_by_hop(), 0x11U);
    EXPECT_EQ(HeaderView(first).end_to_end(), 0x22U);
    EXPECT_FALSE(HeaderView(first).is_retransmitted());
    EXPECT_EQ(subscribers(first), (std::vector<std::string>{"8613034567890", "460013034567890"}));

    ASSERT_FALSE(read_ccr(second, read));
    EXPECT_EQ(read.session, "ne0001.access.example.net;1700000000;0000000042");
    EXPECT_EQ(read.type, CcRequestType::termination);
    EXPECT_EQ(read.number, 4U);
    EXPECT_TRUE(HeaderView(second).is_retransmitted());
    EXPECT_EQ(find_avp(second, avp::kDestinationRealm)->text(), "example.net");
}

TEST(CcrTemplate, MessagesAreAsLongAsThoseOfAGateway) {
    const CcrTemplate encoded(kOrigin);
    for (const auto type :
         {CcRequestType::initial, CcRequestType::update, CcRequestType::termination}) {
        io::OutputBuffer out;
        encoded.append({type, 1, 0, 1, 1, false}, out);
        EXPECT_GE(out.size(), 440U);
        EXPECT_LE(out.size(), 520U);
    }
}

TEST(CcrTemplate, KnowsTheSessionIdsItWrites) {
    const CcrTemplate encoded(kOrigin);
    EXPECT_TRUE(encoded.is_session("ne0001.access.example.net;1700000000;0000000042", 42));
    EXPECT_FALSE(encoded.is_session("ne0001.access.example.net;1700000000;0000000043", 42));
    EXPECT_FALSE(encoded.is_session("ne0002.access.example.net;1700000000;0000000042", 42));
    EXPECT_FALSE(encoded.is_session("ne0001.access.example.net;1700000000;42", 42));
    EXPECT_FALSE(encoded.is_session("", 42));
}

}  // namespace
}  // namespace twinsite::tools::load
