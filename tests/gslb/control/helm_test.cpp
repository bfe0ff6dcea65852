// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/helm.hpp"

#include <gtest/gtest.h>

#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

using health::State;
using std::chrono::seconds;
using steering::Forced;

Override make(std::string object, Forced state) {
    return {{"ocs", std::move(object)}, state, "work", "ann", kNoon.wall, std::nullopt};
}

std::vector<std::string> answers(const Helm& helm, const char* client) {
    ExplainQuestion question;
    question.name = *wire::dns::parse_name("ocs.example.net");
    question.client = *base::text::parse_ip(client);
    return helm.explain(question, kNoon).answers;
}
const std::vector<std::string> kEast{"127.0.1.20"};
const std::vector<std::string> kWest{"127.0.2.20"};

TEST(Helm, PublishesWhenItTakesAConfiguration) {
    HelmUnderTest test;
    ASSERT_EQ(test.published.size(), 1U);
    EXPECT_EQ(test.published[0]->version(), 1U);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
    EXPECT_EQ(answers(test.helm, "10.2.0.1"), kWest);
}

TEST(Helm, ADeadTargetLeavesTheAnswersAndComesBack) {
    HelmUnderTest test;
    test.set_health("ocs-east", State::down);
    test.helm.refresh();
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
    EXPECT_EQ(test.published.size(), 2U);
    test.set_health("ocs-east", State::up);
    test.helm.refresh();
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
    EXPECT_EQ(test.published.size(), 3U);
}

TEST(Helm, PublishesNothingWhenNothingChanged) {
    HelmUnderTest test;
    test.helm.refresh();
    EXPECT_EQ(test.published.size(), 1U);
}

TEST(Helm, AHealthFlipSharesTheZones) {
    HelmUnderTest test;
    test.set_health("ocs-east", State::down);
    test.helm.refresh();
    ASSERT_EQ(test.published.size(), 2U);
    EXPECT_EQ(&test.published[0]->index(), &test.published[1]->index());
}

TEST(Helm, AnOverrideStandsAboveHealthAndGoesToDisk) {
    HelmUnderTest test;
    const auto outcome = test.helm.set_override(make("ocs-east", Forced::down), false);
    ASSERT_TRUE(std::holds_alternative<Helm::Done>(outcome));
    EXPECT_TRUE(std::get<Helm::Done>(outcome).kept);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
    ASSERT_EQ(test.kept.size(), 1U);
    EXPECT_EQ(test.kept[0].entries().size(), 1U);
}

TEST(Helm, AnOverrideUpPutsADeadTargetBack) {
    HelmUnderTest test;
    test.set_health("ocs-east", State::down);
    test.helm.refresh();
    test.helm.set_override(make("site:east", Forced::up), false);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
}

TEST(Helm, ClearingAnOverrideGivesHealthItsWordBack) {
    HelmUnderTest test;
    test.helm.set_override(make("ocs-east", Forced::down), false);
    const auto outcome = test.helm.clear_override({"ocs", "ocs-east"}, false);
    EXPECT_TRUE(std::get<Helm::Done>(outcome).changed);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
    EXPECT_TRUE(test.kept.back().entries().empty());
    EXPECT_FALSE(std::get<Helm::Done>(test.helm.clear_override({"ocs", "ocs-east"}, false)).changed
    );
}

TEST(Helm, RefusesToLeaveAServiceWithoutASiteUnlessForced) {
    HelmUnderTest test;
    test.helm.set_override(make("ocs-east", Forced::down), false);
    const auto refused = test.helm.set_override(make("ocs-west", Forced::down), false);
    ASSERT_TRUE(std::holds_alternative<Refusal>(refused));
    EXPECT_EQ(std::get<Refusal>(refused).cause, Refusal::Cause::last_site);
    EXPECT_EQ(answers(test.helm, "10.2.0.1"), kWest);
    EXPECT_EQ(test.helm.overrides().entries().size(), 1U);
    const auto forced = test.helm.set_override(make("ocs-west", Forced::down), true);
    EXPECT_TRUE(std::holds_alternative<Helm::Done>(forced));
    EXPECT_EQ(answers(test.helm, "10.2.0.1"), std::vector<std::string>{});
}

/// Both sites are forced down; the target that `up` names is there by that override alone.
void leave_all_to_one_override(HelmUnderTest& test, Override up) {
    test.helm.set_override(std::move(up), false);
    test.helm.set_override(make("site:east", Forced::down), false);
    test.helm.set_override(make("site:west", Forced::down), false);
    ASSERT_EQ(test.helm.overrides().entries().size(), 3U);
}

TEST(Helm, RefusesToClearTheOverrideThatKeepsTheLastSiteUnlessForced) {
    HelmUnderTest test;
    leave_all_to_one_override(test, make("ocs-east", Forced::up));
    const auto refused = test.helm.clear_override({"ocs", "ocs-east"}, false);
    ASSERT_TRUE(std::holds_alternative<Refusal>(refused));
    EXPECT_EQ(std::get<Refusal>(refused).cause, Refusal::Cause::last_site);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
    EXPECT_EQ(test.helm.overrides().entries().size(), 3U);
    const auto forced = test.helm.clear_override({"ocs", "ocs-east"}, true);
    EXPECT_TRUE(std::get<Helm::Done>(forced).changed);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), std::vector<std::string>{});
    // Nothing is left to lose: what can only help is never refused.
    const auto helps = test.helm.clear_override({"ocs", "site:west"}, false);
    EXPECT_TRUE(std::get<Helm::Done>(helps).changed);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
}

TEST(Helm, RefusesToClearAnOverrideUpOfADeadTargetThatIsTheLast) {
    HelmUnderTest test;
    test.set_health("ocs-east", State::down);
    test.set_health("ocs-west", State::down);
    test.helm.refresh();
    test.helm.set_override(make("ocs-east", Forced::up), false);
    EXPECT_TRUE(std::holds_alternative<Refusal>(test.helm.clear_override({"ocs", "ocs-east"}, false)
    ));
    test.set_health("ocs-west", State::up);
    EXPECT_TRUE(
        std::holds_alternative<Helm::Done>(test.helm.clear_override({"ocs", "ocs-east"}, false))
    );
}

TEST(Helm, AnExpiryThatLeavesAServiceWithoutASiteIsLoggedAsAnError) {
    HelmUnderTest test;
    auto brief = make("ocs-east", Forced::up);
    brief.expires = kNoon.monotonic + seconds(60);
    leave_all_to_one_override(test, brief);
    testing::internal::CaptureStderr();
    test.helm.expire(kNoon.monotonic + seconds(60));
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("service_without_site"), std::string::npos) << log;
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), std::vector<std::string>{});
}

TEST(Helm, AnExpiryThatLosesNothingIsNoError) {
    HelmUnderTest test;
    auto brief = make("ocs-east", Forced::down);
    brief.expires = kNoon.monotonic + seconds(60);
    test.helm.set_override(brief, false);
    testing::internal::CaptureStderr();
    test.helm.expire(kNoon.monotonic + seconds(60));
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(log.find("service_without_site"), std::string::npos) << log;
}

TEST(Helm, AnOverrideHoldsAlthoughTheDiskIsFull) {
    HelmUnderTest test;
    test.disk_works = false;
    const auto outcome = test.helm.set_override(make("ocs-east", Forced::down), false);
    EXPECT_FALSE(std::get<Helm::Done>(outcome).kept);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
}

TEST(Helm, AnOverrideEndsByItself) {
    HelmUnderTest test;
    auto brief = make("ocs-east", Forced::down);
    brief.expires = kNoon.monotonic + seconds(60);
    test.helm.set_override(brief, false);
    test.helm.expire(kNoon.monotonic + seconds(59));
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
    test.helm.expire(kNoon.monotonic + seconds(60));
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kEast);
    EXPECT_TRUE(test.kept.back().entries().empty());
}

TEST(Helm, KeepsOverridesAndCountsOnOverAReload) {
    HelmUnderTest test;
    test.helm.set_override(make("ocs-east", Forced::down), false);
    const auto before = test.helm.snapshot().version();
    test.helm.adopt(three_sites());
    EXPECT_EQ(test.helm.snapshot().version(), before + 1);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), kWest);
    test.helm.set_override(make("ocs-west", Forced::down), false);
    EXPECT_EQ(answers(test.helm, "10.1.0.1"), std::vector<std::string>{"127.0.3.20"});
}

TEST(Helm, AnOverrideWhoseObjectIsGoneWaitsAndMayBeCleared) {
    HelmUnderTest test;
    test.helm.adopt(three_sites());
    test.helm.set_override(make("ocs-north", Forced::down), false);
    test.helm.adopt(two_sites());
    EXPECT_EQ(test.helm.overrides().entries().size(), 1U);
    EXPECT_TRUE(std::get<Helm::Done>(test.helm.clear_override({"ocs", "ocs-north"}, false)).changed
    );
    EXPECT_TRUE(
        std::holds_alternative<Refusal>(test.helm.clear_override({"ocs", "ocs-north"}, false))
    );
}

}  // namespace
}  // namespace twinsite::gslb::control
