// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/charging.hpp"

#include <gtest/gtest.h>

#include "tools/blade/stats_json.hpp"
#include "wire/diameter/builder.hpp"

namespace twinsite::tools::blade {
namespace {

using namespace wire::diameter;
using Bytes = std::vector<std::uint8_t>;

ChargingConfig config(bool strict) {
    ChargingConfig out;
    out.self.host = "b1.example.net";
    out.self.realm = "example.net";
    out.strict = strict;
    return out;
}

Bytes ccr(
    CcRequestType type,
    std::string_view session,
    std::uint32_t end_to_end,
    bool retransmitted = false,
    std::string_view origin = "ne1.access.example.net"
) {
    CcrFields fields;
    fields.session = session;
    fields.origin_host = origin;
    fields.origin_realm = "access.example.net";
    fields.destination_realm = "example.net";
    fields.subscriber = "8613000000001";
    fields.type = type;
    fields.number = type == CcRequestType::initial ? 0 : 3;
    fields.rating_group = 77;
    Bytes out;
    build_ccr(out, fields, 0xabcd0001, end_to_end, retransmitted);
    return out;
}

struct Blade {
    explicit Blade(ChargingConfig with) : charging(std::move(with)) {}
    Bytes ask(const Bytes& request) {
        io::OutputBuffer out;
        charging.answer(request, out);
        const auto content = out.content();
        EXPECT_FALSE(check_avps(content));
        EXPECT_EQ(HeaderView(content).length(), content.size());
        return {content.begin(), content.end()};
    }
    std::uint32_t result_of(const Bytes& request) {
        return find_avp(ask(request), avp::kResultCode).value().u32().value();
    }
    Charging charging;
};

TEST(Charging, AnswersASessionAndForgetsItAfterItsTermination) {
    Blade blade(config(true));
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;1", 1)), 2001U);
    EXPECT_EQ(blade.charging.open_sessions(), 1U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::update, "s;1", 2)), 2001U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::termination, "s;1", 3)), 2001U);
    EXPECT_EQ(blade.charging.open_sessions(), 0U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::update, "s;1", 4)), 5002U);
    EXPECT_EQ(blade.charging.stats().sessions, 1U);
    EXPECT_EQ(blade.charging.stats().requests, 4U);
}

TEST(Charging, EchoesIdsSessionTypeAndNumberAndGrantsForTheRatingGroup) {
    Blade blade(config(false));
    const auto answer = blade.ask(ccr(CcRequestType::update, "s;1", 22));
    EXPECT_EQ(HeaderView(answer).hop_by_hop(), 0xabcd0001U);
    EXPECT_EQ(HeaderView(answer).end_to_end(), 22U);
    EXPECT_EQ(HeaderView(answer).flags(), flag::kProxiable);
    CreditControlAnswer read;
    ASSERT_TRUE(read_cca(answer, read));
    EXPECT_EQ(read.session, "s;1");
    EXPECT_EQ(read.origin_host, "b1.example.net");
    EXPECT_EQ(read.type, CcRequestType::update);
    EXPECT_EQ(read.number, 3U);
    const auto mscc = find_avp(answer, avp::kMultipleServicesCreditControl);
    ASSERT_TRUE(mscc);
    auto walk = AvpWalk::of_group(mscc->data);
    std::optional<std::uint32_t> group;
    bool granted = false;
    for (Avp avp; walk.next(avp);) {
        if (avp.is(avp::kRatingGroup)) group = avp.u32();
        if (avp.is(avp::kGrantedServiceUnit)) granted = true;
    }
    EXPECT_EQ(group, 77U);
    EXPECT_TRUE(granted);
}

TEST(Charging, TheTemplateWritesWhatTheBuilderWrites) {
    const auto with = config(false);
    const AnswerTemplate encoded(with.self, 2001);
    for (const auto type : {CcRequestType::initial, CcRequestType::termination})
        for (const std::string session : {"", "a", "ab", "abc", "a longer one;1;2"}) {
            const auto request = ccr(type, session, 5);
            CreditControlRequest read;
            ASSERT_FALSE(read_ccr(request, read));
            Bytes built;
            build_cca(built, with.self, request, read, {});
            io::OutputBuffer out;
            encoded.append(HeaderView(request), read, out);
            const auto content = out.content();
            EXPECT_EQ(Bytes(content.begin(), content.end()), built) << session;
        }
}

TEST(Charging, ALenientBladeOpensSessionsItDoesNotKnow) {
    Blade blade(config(false));
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::update, "s;9", 1)), 2001U);
    EXPECT_EQ(blade.charging.stats().unknown_session, 1U);
    EXPECT_EQ(blade.charging.stats().sessions, 1U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::update, "s;9", 2)), 2001U);
    EXPECT_EQ(blade.charging.stats().unknown_session, 1U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::termination, "s;8", 3)), 2001U);
    EXPECT_EQ(blade.charging.open_sessions(), 1U);
}

TEST(Charging, ChargesARequestSentAgainOnlyOnceAndGivesTheSameAnswer) {
    Blade blade(config(true));
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;1", 1)), 2001U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::termination, "s;1", 2)), 2001U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::termination, "s;1", 2, true)), 2001U)
        << "not 5002, though the session is gone";
    EXPECT_EQ(blade.charging.stats().duplicates, 1U);
    EXPECT_EQ(blade.charging.stats().terminations, 1U);
    EXPECT_EQ(blade.charging.stats().retransmitted, 1U);
}

TEST(Charging, DoesNotTakeAnotherClientsIdForADuplicate) {
    Blade blade(config(true));
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;1", 1)), 2001U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;2", 1, true, "ne2.x")), 2001U);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;3", 9, true)), 2001U)
        << "the first copy was lost on its way";
    EXPECT_EQ(blade.charging.stats().duplicates, 0U);
    EXPECT_EQ(blade.charging.stats().retransmitted, 2U);
    EXPECT_EQ(blade.charging.stats().sessions, 3U);
}

TEST(Charging, GivesTheConfiguredResultCode) {
    auto with = config(false);
    with.result_code = 3004;
    Blade blade(with);
    EXPECT_EQ(blade.result_of(ccr(CcRequestType::initial, "s;1", 1)), 3004U);
    EXPECT_EQ(blade.charging.open_sessions(), 0U);
}

TEST(Charging, RefusesOtherCommandsAndApplicationsAndDefects) {
    Blade blade(config(false));
    Bytes other;
    MessageBuilder(other, {0xc0, 265, 1, 1, 2}).text(avp::kSessionId, "s").finish();
    EXPECT_EQ(blade.result_of(other), 3001U);
    auto wrong_application = ccr(CcRequestType::initial, "s;1", 1);
    wrong_application[11] = 5;
    EXPECT_EQ(blade.result_of(wrong_application), 3007U);
    auto damaged = ccr(CcRequestType::initial, "s;1", 1);
    store_u24(damaged.data() + 25, 2);
    EXPECT_EQ(blade.result_of(damaged), 5014U);
    EXPECT_EQ(blade.charging.stats().unsupported, 2U);
    EXPECT_EQ(blade.charging.stats().malformed, 1U);
}

TEST(Charging, CopiesProxyInfoIntoTheAnswer) {
    Blade blade(config(false));
    auto request = ccr(CcRequestType::initial, "s;1", 1);
    const Bytes proxy_info = {0, 0,  1,    28, 0x40, 0,  0,   20,  0,   0,
                              1, 24, 0x40, 0,  0,    11, 'p', '.', 'x', 0};
    request.insert(request.end(), proxy_info.begin(), proxy_info.end());
    store_u24(request.data() + 1, static_cast<std::uint32_t>(request.size()));
    const auto copied = find_avp(blade.ask(request), avp::kProxyInfo);
    EXPECT_TRUE(copied);
}

TEST(DuplicateCache, KnowsManyRequestsOfSeveralClients) {
    DuplicateCache cache;
    const std::string hosts[] = {"ne1.x", "ne2.x", "ne3.x"};
    constexpr std::uint32_t kEach = 30'000;
    for (std::uint32_t id = 0; id < kEach; ++id)
        for (const auto& host : hosts) cache.remember(host, id, 2001 + id % 3);
    for (std::uint32_t id = 0; id < kEach; ++id)
        for (const auto& host : hosts) ASSERT_EQ(cache.find(host, id), 2001 + id % 3);
    EXPECT_EQ(cache.find("ne1.x", kEach), 0U);
    EXPECT_EQ(cache.find("ne9.x", 0), 0U);
}

TEST(BladeStats, AreOneJsonObject) {
    ChargingStats stats;
    stats.requests = 5;
    stats.unknown_session = 2;
    const auto text = to_json(stats, 3, {.accepted = 1});
    EXPECT_TRUE(text.starts_with("{\"requests\":5,"));
    EXPECT_NE(text.find("\"unknown_session\":2"), std::string::npos);
    EXPECT_NE(text.find("\"open_sessions\":3"), std::string::npos);
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace twinsite::tools::blade
