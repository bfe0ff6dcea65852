// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/overrides.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::control {
namespace {

using std::chrono::seconds;
using steering::Forced;

steering::Steering two_sites() {
    steering::Steering out;
    out.sites = {"east", "west"};
    steering::Service ocs;
    ocs.name = "ocs";
    ocs.targets = {{"ocs-east-1", 0, {}, 1}, {"ocs-east-2", 0, {}, 1}, {"ocs-west", 1, {}, 1}};
    out.services = {ocs};
    return out;
}

const Moment kStart{
    std::chrono::steady_clock::time_point(seconds(1000)),
    std::chrono::system_clock::time_point(seconds(1'800'000'000))
};

Override entry(std::string object, Forced state) {
    return {{"ocs", std::move(object)}, state, "work", "ann", kStart.wall, std::nullopt};
}

TEST(Overrides, ATargetsOwnWordCountsBeforeThatOfItsSite) {
    Overrides overrides;
    overrides.set(entry("site:east", Forced::down));
    EXPECT_EQ(overrides.forced("ocs", "ocs-east-1", "east"), Forced::down);
    EXPECT_EQ(overrides.forced("ocs", "ocs-west", "west"), Forced::none);
    EXPECT_EQ(overrides.forced("other", "ocs-east-1", "east"), Forced::none);
    overrides.set(entry("ocs-east-1", Forced::up));
    EXPECT_EQ(overrides.forced("ocs", "ocs-east-1", "east"), Forced::up);
    EXPECT_EQ(overrides.forced("ocs", "ocs-east-2", "east"), Forced::down);
}

TEST(Overrides, ASecondOneForTheSameObjectReplacesTheFirst) {
    Overrides overrides;
    overrides.set(entry("ocs-west", Forced::down));
    overrides.set(entry("ocs-west", Forced::drain));
    ASSERT_EQ(overrides.entries().size(), 1U);
    EXPECT_EQ(overrides.entries()[0].state, Forced::drain);
}

TEST(Overrides, AreKeptInOrderOfServiceAndObject) {
    Overrides overrides;
    overrides.set(entry("ocs-west", Forced::down));
    overrides.set(entry("ocs-east-1", Forced::down));
    EXPECT_EQ(overrides.entries()[0].key.object, "ocs-east-1");
    EXPECT_NE(overrides.find({"ocs", "ocs-west"}), nullptr);
    EXPECT_EQ(overrides.find({"ocs", "ocs-west-2"}), nullptr);
}

TEST(Overrides, ClearingTellsWhetherThereWasOne) {
    Overrides overrides;
    overrides.set(entry("ocs-west", Forced::down));
    EXPECT_TRUE(overrides.clear({"ocs", "ocs-west"}));
    EXPECT_FALSE(overrides.clear({"ocs", "ocs-west"}));
    EXPECT_EQ(overrides.forced("ocs", "ocs-west", "west"), Forced::none);
}

TEST(Overrides, ExpireAtTheirTimeAndNotBefore) {
    Overrides overrides;
    auto brief = entry("ocs-west", Forced::down);
    brief.expires = kStart.monotonic + seconds(10);
    auto longer = entry("ocs-east-1", Forced::down);
    longer.expires = kStart.monotonic + seconds(20);
    overrides.set(brief);
    overrides.set(longer);
    overrides.set(entry("ocs-east-2", Forced::down));
    EXPECT_EQ(overrides.next_expiry(), brief.expires);
    EXPECT_TRUE(
        overrides.expire(kStart.monotonic + seconds(10) - std::chrono::nanoseconds(1)).empty()
    );
    const auto gone = overrides.expire(kStart.monotonic + seconds(10));
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(gone[0].key.object, "ocs-west");
    EXPECT_EQ(overrides.next_expiry(), longer.expires);
    EXPECT_EQ(overrides.expire(kStart.monotonic + seconds(99)).size(), 1U);
    EXPECT_EQ(overrides.next_expiry(), std::nullopt);
    EXPECT_EQ(overrides.entries().size(), 1U);
}

TEST(CheckKnown, AcceptsTargetsAndSitesOfTheService) {
    EXPECT_FALSE(check_known({"ocs", "ocs-west"}, two_sites()));
    EXPECT_FALSE(check_known({"ocs", "site:west"}, two_sites()));
}

TEST(CheckKnown, NamesTheNearestCandidatesFirst) {
    const auto target = check_known({"ocs", "ocs-wets"}, two_sites());
    ASSERT_TRUE(target);
    EXPECT_EQ(target->cause, Refusal::Cause::unknown_object);
    ASSERT_FALSE(target->candidates.empty());
    EXPECT_EQ(target->candidates[0], "ocs-west");
    EXPECT_EQ(target->candidates.size(), 5U);
    const auto service = check_known({"osc", "ocs-west"}, two_sites());
    ASSERT_TRUE(service);
    EXPECT_EQ(service->cause, Refusal::Cause::unknown_service);
    EXPECT_EQ(service->candidates, std::vector<std::string>{"ocs"});
}

TEST(CheckKnown, RefusesASiteWithoutTargetOfTheService) {
    auto steering = two_sites();
    steering.sites.push_back("north");
    EXPECT_TRUE(check_known({"ocs", "site:north"}, steering));
}

std::optional<Refusal> check(
    const Overrides& now, const Override& wanted, const std::vector<bool>& healthy
) {
    const auto steering = two_sites();
    return check_keeps_a_site(now, wanted, steering.services[0], steering.sites, healthy);
}

TEST(CheckKeepsASite, LetsOneSiteGoAndRefusesTheLast) {
    Overrides overrides;
    EXPECT_FALSE(check(overrides, entry("site:east", Forced::down), {true, true, true}));
    overrides.set(entry("site:east", Forced::down));
    const auto refusal = check(overrides, entry("ocs-west", Forced::drain), {true, true, true});
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->cause, Refusal::Cause::last_site);
    EXPECT_NE(refusal->text.find("'ocs'"), std::string::npos);
}

TEST(CheckKeepsASite, CountsHealth) {
    EXPECT_TRUE(check({}, entry("ocs-west", Forced::down), {false, false, true}));
    EXPECT_FALSE(check({}, entry("ocs-west", Forced::down), {true, false, true}));
}

TEST(CheckKeepsASite, DoesNotHinderWhereNothingIsHealthyAnyway) {
    EXPECT_FALSE(check({}, entry("ocs-west", Forced::down), {false, false, false}));
}

TEST(CheckKeepsASite, NeverRefusesUp) {
    Overrides overrides;
    overrides.set(entry("site:east", Forced::down));
    overrides.set(entry("site:west", Forced::down));
    EXPECT_FALSE(check(overrides, entry("ocs-west", Forced::up), {false, false, false}));
}

TEST(CheckKeepsASite, ATargetForcedUpCountsAsHealthy) {
    Overrides overrides;
    overrides.set(entry("ocs-east-1", Forced::up));
    EXPECT_FALSE(check(overrides, entry("ocs-west", Forced::down), {false, false, true}));
}

TEST(ParseForced, KnowsThreeWords) {
    EXPECT_EQ(parse_forced("up"), Forced::up);
    EXPECT_EQ(parse_forced("down"), Forced::down);
    EXPECT_EQ(parse_forced("drain"), Forced::drain);
    EXPECT_EQ(parse_forced("none"), std::nullopt);
    EXPECT_EQ(parse_forced("Down"), std::nullopt);
}

}  // namespace
}  // namespace twinsite::gslb::control
