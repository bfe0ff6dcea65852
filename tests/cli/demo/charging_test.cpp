// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/charging.hpp"

#include <set>

#include <gtest/gtest.h>

#include "wire/diameter/credit_control.hpp"
#include "wire/diameter/framer.hpp"

namespace twinsite::cli::demo {
namespace {

using namespace std::chrono_literals;
namespace diameter = wire::diameter;
using Bytes = std::vector<std::uint8_t>;

const Charging::Origin kOrigin{"ne1.east.example.net", "example.net", "example.net"};

Charging charging(std::size_t sessions) {
    return {kOrigin, sessions, 1000};
}

Bytes answer_to(const Bytes& request, std::uint32_t result_code) {
    diameter::CreditControlRequest read;
    EXPECT_FALSE(diameter::read_ccr(request, read));
    diameter::Identity self;
    self.host = "b1.east.example.net";
    self.realm = "example.net";
    diameter::CcaFields fields;
    fields.result_code = result_code;
    Bytes out;
    diameter::build_cca(out, self, request, read, fields);
    return out;
}

Bytes request_of(Charging& from) {
    Bytes out;
    EXPECT_TRUE(from.next_request(out, Time{}, 1));
    return out;
}

diameter::CreditControlRequest read_of(const Bytes& request) {
    diameter::CreditControlRequest out;
    EXPECT_FALSE(diameter::read_ccr(request, out));
    return out;
}

TEST(Charging, ASessionGoesFromInitialToTerminationAndANewOneFollows) {
    auto sessions = charging(1);
    const diameter::CcRequestType types[] = {
        diameter::CcRequestType::initial,
        diameter::CcRequestType::update,
        diameter::CcRequestType::termination
    };
    std::set<std::string> ids;
    for (std::uint32_t i = 0; i < 6; ++i) {
        const auto request = request_of(sessions);
        const auto read = read_of(request);
        EXPECT_EQ(read.type, types[i % 3]);
        EXPECT_EQ(read.number, i % 3);
        ids.insert(std::string(read.session));
        EXPECT_TRUE(sessions.answer(answer_to(request, 2001), Time{} + 1ms).good);
    }
    EXPECT_EQ(ids.size(), 2U);
}

TEST(Charging, OneRequestOfASessionIsPendingAtMost) {
    auto sessions = charging(2);
    const auto first = request_of(sessions);
    const auto second = request_of(sessions);
    EXPECT_NE(read_of(first).session, read_of(second).session);
    Bytes none;
    EXPECT_FALSE(sessions.next_request(none, Time{}, 1));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(sessions.pending(), 2U);
}

TEST(Charging, AnAnswerTellsWhoServedAndHowLongItTook) {
    auto sessions = charging(1);
    const auto request = request_of(sessions);
    const auto outcome = sessions.answer(answer_to(request, 2001), Time{} + 1500us);
    EXPECT_TRUE(outcome.expected);
    EXPECT_TRUE(outcome.good);
    EXPECT_EQ(outcome.origin_host, "b1.east.example.net");
    EXPECT_EQ(outcome.latency, 1500us);
}

TEST(Charging, ARefusedSessionIsOverAndIsNotGood) {
    auto sessions = charging(1);
    const auto initial = request_of(sessions);
    const auto outcome = sessions.answer(answer_to(initial, 3002), Time{});
    EXPECT_TRUE(outcome.expected);
    EXPECT_FALSE(outcome.good);
    const auto next = request_of(sessions);
    EXPECT_EQ(read_of(next).type, diameter::CcRequestType::initial);
    EXPECT_NE(read_of(next).session, read_of(initial).session);
}

TEST(Charging, AnAnswerTwiceIsUnexpected) {
    auto sessions = charging(1);
    const auto answer = answer_to(request_of(sessions), 2001);
    EXPECT_TRUE(sessions.answer(answer, Time{}).expected);
    EXPECT_FALSE(sessions.answer(answer, Time{}).expected);
}

TEST(Charging, ANewLinkGetsThePendingRequestsAgainWithTheTFlagAndTheSameEndToEndIds) {
    auto sessions = charging(3);
    Bytes first;
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(sessions.next_request(first, Time{} + std::chrono::milliseconds(i), 1));
    Bytes again;
    sessions.repeat_pending(again);
    ASSERT_EQ(first.size(), again.size());
    diameter::Framer before;
    diameter::Framer after;
    before.feed(first);
    after.feed(again);
    for (int i = 0; i < 3; ++i) {
        const auto one = before.next();
        const auto other = after.next();
        ASSERT_TRUE(one && other);
        const diameter::HeaderView was(one->data());
        const diameter::HeaderView is(other->data());
        EXPECT_FALSE(was.is_retransmitted());
        EXPECT_TRUE(is.is_retransmitted());
        EXPECT_EQ(was.end_to_end(), is.end_to_end());
    }
    EXPECT_EQ(sessions.pending(), 3U);
    EXPECT_EQ(sessions.oldest_pending(), Time{});
}

TEST(Charging, FinishingEndsTheOpenSessionsAndStartsNone) {
    auto sessions = charging(2);
    EXPECT_TRUE(sessions.answer(answer_to(request_of(sessions), 2001), Time{}).good);
    sessions.finish();
    EXPECT_FALSE(sessions.all_ended());
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(sessions.answer(answer_to(request_of(sessions), 2001), Time{}).good);
    EXPECT_TRUE(sessions.all_ended());
    Bytes none;
    EXPECT_FALSE(sessions.next_request(none, Time{}, 1));
}

}  // namespace
}  // namespace twinsite::cli::demo
