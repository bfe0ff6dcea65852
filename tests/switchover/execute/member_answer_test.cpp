// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/member_answer.hpp"

#include <gtest/gtest.h>

#include "switchover/execute/dns_question.hpp"

namespace twinsite::switchover::execute {
namespace {

TEST(MemberAnswer, AnswersThatAreNoneChangeNothing) {
    MemberView view;
    view.reachable = true;
    view.objects = {{"site:east", "out"}};
    for (const auto* text :
         {"",
          "[]",
          "{}",
          "{\"fence\":{\"generation\":1,\"revision\":2}}",
          "{\"fence\":1,\"objects\":[],\"sites\":[]}",
          "{\"fence\":{\"generation\":1,\"revision\":2},\"objects\":[]}",
          "{\"fence\":{\"generation\":1,\"revision\":2},\"objects\":{},\"sites\":[]}"})
        EXPECT_FALSE(read_desired_answer(text, view)) << text;
    EXPECT_EQ(view.objects.size(), 1U);
    EXPECT_FALSE(view.fence.has_value());
}

TEST(MemberAnswer, WrongMembersBecomeEmpty) {
    MemberView view;
    ASSERT_TRUE(read_desired_answer(
        "{\"fence\":{\"generation\":1,\"revision\":2},\"objects\":[1,{\"object\":2}],"
        "\"sites\":[{\"site\":\"east\",\"answering\":\"yes\",\"health\":null}]}",
        view
    ));
    ASSERT_EQ(view.sites.size(), 1U);
    EXPECT_FALSE(view.sites[0].answering);
    EXPECT_EQ(view.sites[0].health, "");
    EXPECT_EQ(view.objects.size(), 1U);
    EXPECT_EQ(view.fence, (wire::contract::Fence{1, 2}));
}

TEST(MemberAnswer, RefusalsAreExplained) {
    EXPECT_EQ(
        explain_refusal(base::http::problem(409, "last site", "nothing left")),
        "last site: nothing left"
    );
    base::http::Response plain;
    plain.status = 502;
    plain.body = "<html>";
    EXPECT_EQ(explain_refusal(plain), "status 502");
    EXPECT_FALSE(read_stale_fence(plain).has_value());
    EXPECT_FALSE(read_stale_fence(base::http::problem(409, "stale fence", "x")).has_value());
    EXPECT_EQ(
        read_stale_fence(base::http::problem(
            409, "stale fence", "x", "\"highest\":{\"generation\":2,\"revision\":9}"
        )),
        (wire::contract::Fence{2, 9})
    );
}

TEST(DnsQuestion, SubnetHasOnlyTheBytesItNeeds) {
    const auto with =
        encode_dns_question(0x1234, "ocs.example.net", base::text::parse_prefix("10.1.0.0/16"));
    const auto without = encode_dns_question(0x1234, "ocs.example.net", std::nullopt);
    EXPECT_EQ(with.size(), without.size() + 4 + 4 + 2);
    EXPECT_EQ(with[0], 0x12);
    EXPECT_EQ(with[with.size() - 4], 16);  // source length, scope, 10, 1
    EXPECT_EQ(with[with.size() - 2], 10);
    EXPECT_TRUE(encode_dns_question(1, "a..b", std::nullopt).empty());
    EXPECT_TRUE(encode_dns_question(1, std::string(300, 'a'), std::nullopt).empty());
}

TEST(DnsQuestion, OnlyTheReplyToOurQuestionIsRead) {
    auto reply = encode_dns_question(7, "ocs.example.net", std::nullopt);
    EXPECT_FALSE(decode_dns_answer(reply, 7, "ocs.example.net").has_value());  // a question
    reply[2] = 0x84;
    reply[3] = 3;
    const auto read = decode_dns_answer(reply, 7, "OCS.example.net");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->rcode, "NXDOMAIN");
    EXPECT_TRUE(read->addresses.empty());
    EXPECT_FALSE(decode_dns_answer(reply, 8, "ocs.example.net").has_value());
    EXPECT_FALSE(decode_dns_answer(reply, 7, "www.example.net").has_value());
    for (std::size_t size = 0; size < 33; ++size)
        EXPECT_FALSE(decode_dns_answer({reply.data(), size}, 7, "ocs.example.net").has_value());
    reply[7] = 9;  // nine answers that are not there
    EXPECT_FALSE(decode_dns_answer(reply, 7, "ocs.example.net").has_value());
}

}  // namespace
}  // namespace twinsite::switchover::execute
