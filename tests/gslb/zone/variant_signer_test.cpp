// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/variant_signer.hpp"

#include <gtest/gtest.h>

#include "gslb/zone/error.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "tests/gslb/zone/signing_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace type = wire::dns::type;
using test::judge_set;
using test::kNow;
using wire::dns::parse_name;

const wire::dns::Name kOwner = *parse_name("Ocs.example.net.");
const Rdatas kEast{{192, 0, 2, 2}, {192, 0, 2, 1}};
const Rdatas kWest{{198, 51, 100, 1}};

struct Setting {
    explicit Setting(Denial denial = Denial::nsec, UnixTime now = kNow) {
        how.times.now = now;
        how.denial = denial;
        how.steered = steered;
        const auto made = sign_zone(test::load_zone(""), *keys, how);
        EXPECT_TRUE(made.zone) << made.problem;
        chain = std::make_shared<const DenialChain>(*made.zone);
    }
    VariantSigner signer() const { return {keys, chain, how.times}; }

    std::shared_ptr<const KeySet> keys = std::make_shared<const KeySet>(test::make_keys());
    std::vector<SteeredName> steered{{kOwner, {type::a, type::aaaa}}};
    SignParameters how;
    std::shared_ptr<const DenialChain> chain;
};

TEST(VariantSigner, AVariantIsSignedOnceAndLdnsAgrees) {
    const Setting setting;
    auto signer = setting.signer();
    const auto first = signer.signature(kOwner, type::a, 300, kEast);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(
        judge_set({kOwner, type::a, 300, kEast}, **first, *setting.keys->data_key(), kNow), ""
    );
    const auto again =
        signer.signature(*parse_name("ocs.EXAMPLE.net."), type::a, 300, {kEast[1], kEast[0]});
    EXPECT_EQ(*again, *first) << "neither case nor order makes another variant";
    EXPECT_EQ(signer.made(), 1);
    const auto other = signer.signature(kOwner, type::a, 300, kWest);
    EXPECT_NE(*other, *first);
    EXPECT_EQ(signer.made(), 2);
}

TEST(VariantSigner, ALowerTtlOnTheWireNeedsNoOtherSignature) {
    const Setting setting;
    auto signer = setting.signer();
    const auto made = signer.signature(kOwner, type::a, 300, kEast);
    EXPECT_EQ(judge_set({kOwner, type::a, 20, kEast}, **made, *setting.keys->data_key(), kNow), "");
}

TEST(VariantSigner, TheSecondNsecListsAllTypesButTheAbsentOnes) {
    for (const auto denial : {Denial::nsec, Denial::nsec3}) {
        const Setting setting(denial);
        auto signer = setting.signer();
        const std::vector<std::uint16_t> absent{type::a};
        const auto made = signer.denial_without(kOwner, absent);
        ASSERT_TRUE(made.has_value());
        const auto* link = setting.chain->find(kOwner);
        ASSERT_NE(link, nullptr);
        EXPECT_EQ(made->owner, link->owner);
        EXPECT_EQ(made->ttl, 60);
        ZoneData zone;
        zone.origin = *parse_name("example.net.");
        zone.rrsets.push_back({made->owner, made->type, made->ttl, {made->rdata}});
        EXPECT_EQ(
            test::bitmap_of(zone, "ocs.example.net."),
            denial == Denial::nsec ? "AAAA RRSIG NSEC" : "AAAA RRSIG"
        );
        EXPECT_EQ(judge_set(zone.rrsets[0], made->rrsig, *setting.keys->data_key(), kNow), "");
    }
}

TEST(VariantSigner, NoChainRecordNoDenial) {
    const Setting setting;
    auto signer = setting.signer();
    EXPECT_EQ(
        signer.denial_without(*parse_name("other.example.net."), {}).error(),
        make_error_code(Errc::not_in_chain)
    );
}

TEST(VariantSigner, WhatACopySignedAheadIsTakenOver) {
    const Setting setting;
    auto signer = setting.signer();
    auto ahead = signer;
    const auto made = ahead.signature(kOwner, type::a, 300, kWest);
    signer.accept(ahead.take_new());
    EXPECT_TRUE(ahead.take_new().empty());
    EXPECT_EQ(*signer.signature(kOwner, type::a, 300, kWest), *made);
    EXPECT_EQ(signer.made(), 0);
}

TEST(VariantSigner, ALaterSignerInheritsWhatIsFresh) {
    Setting setting;
    auto signer = setting.signer();
    const auto made = signer.signature(kOwner, type::a, 300, kEast);
    auto times = setting.how.times;
    times.now = kNow + 3 * 86'400;
    VariantSigner next(setting.keys, setting.chain, times);
    next.inherit(signer);
    EXPECT_EQ(*next.signature(kOwner, type::a, 300, kEast), *made);
    EXPECT_LT(next.refresh_at(), times.now + times.refresh.count());

    times.now = kNow + 8 * 86'400;
    VariantSigner late(setting.keys, setting.chain, times);
    late.inherit(signer);
    EXPECT_EQ(late.size(), 0);

    const Setting other;
    VariantSigner stranger(other.keys, other.chain, other.how.times);
    stranger.inherit(signer);
    EXPECT_EQ(stranger.size(), 0) << "another key";
}

}  // namespace
}  // namespace twinsite::gslb::zone
