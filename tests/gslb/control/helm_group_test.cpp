// SPDX-License-Identifier: Apache-2.0
// Two helms that hear of each other, as two members of a group do.
#include <gtest/gtest.h>

#include "gslb/control/decisions.hpp"
#include "gslb/control/override_sync.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

using health::State;
using std::chrono::seconds;
using steering::Forced;

Override make(std::string object, Forced state) {
    Override out;
    out.key = {"ocs", std::move(object)};
    out.state = state;
    out.reason = "work";
    out.author = "ann";
    out.set_at = kNoon.wall;
    return out;
}

std::vector<std::string> answers(const Helm& helm, const char* client) {
    ExplainQuestion question;
    question.name = *wire::dns::parse_name("ocs.example.net");
    question.client = *base::text::parse_ip(client);
    return helm.explain(question, kNoon).answers;
}

void tell(const Helm& from, Helm& to) {
    to.merge_overrides(page_of(from.overrides(), "", kNoon), kNoon);
}

class HelmGroup : public testing::Test {
protected:
    void SetUp() override {
        auto setup = two_sites();
        setup.node = "west";
        west_.helm.adopt(std::move(setup));
    }
    HelmUnderTest east_;
    HelmUnderTest west_;
};

TEST_F(HelmGroup, AnOverrideHoldsAtAllAndSoDoesItsEnd) {
    east_.helm.set_override(make("ocs-east", Forced::down), false);
    tell(east_.helm, west_.helm);
    EXPECT_EQ(answers(west_.helm, "10.1.0.1"), std::vector<std::string>{"127.0.2.20"});
    ASSERT_EQ(west_.helm.overrides().entries().size(), 1U);
    EXPECT_EQ(west_.helm.overrides().entries()[0].author, "ann");
    EXPECT_EQ(west_.kept.back().entries().size(), 1U) << "on disk there too";

    // Taken back at the other node: its word is later, although it was heard of second hand.
    west_.helm.clear_override({"ocs", "ocs-east"}, false, {"bob", "done", kNoon});
    tell(west_.helm, east_.helm);
    tell(east_.helm, west_.helm);
    EXPECT_TRUE(east_.helm.overrides().entries().empty());
    EXPECT_EQ(answers(east_.helm, "10.1.0.1"), std::vector<std::string>{"127.0.1.20"});
    EXPECT_EQ(digest_of(east_.helm.overrides()), digest_of(west_.helm.overrides()));
}

TEST_F(HelmGroup, WhatIsHeardTwiceChangesNothing) {
    east_.helm.set_override(make("ocs-east", Forced::drain), false);
    tell(east_.helm, west_.helm);
    const auto published = west_.published.size();
    const auto kept = west_.kept.size();
    tell(east_.helm, west_.helm);
    EXPECT_EQ(west_.published.size(), published);
    EXPECT_EQ(west_.kept.size(), kept);
}

TEST_F(HelmGroup, WordsSaidOnBothSidesOfACutLeaveBothWithTheSame) {
    east_.helm.set_override(make("ocs-east", Forced::down), false);
    west_.helm.set_override(make("ocs-west", Forced::down), false);
    tell(east_.helm, west_.helm);
    tell(west_.helm, east_.helm);
    EXPECT_EQ(digest_of(east_.helm.overrides()), digest_of(west_.helm.overrides()));
    EXPECT_EQ(east_.helm.overrides().entries().size(), 2U);
    EXPECT_EQ(answers(east_.helm, "10.1.0.1"), answers(west_.helm, "10.1.0.1"));
}

TEST_F(HelmGroup, AnOverrideThatRanOutOnTheWayDoesNotHold) {
    auto word = make("ocs-east", Forced::down);
    word.expires = kNoon.monotonic + seconds(1);
    east_.helm.set_override(word, false);
    auto page = page_of(east_.helm.overrides(), "", kNoon);
    page.entries.at(0).left_ms = 0;
    west_.helm.merge_overrides(page, kNoon);
    EXPECT_TRUE(west_.helm.overrides().entries().empty());
    EXPECT_EQ(digest_of(east_.helm.overrides()), digest_of(west_.helm.overrides()));
}

TEST_F(HelmGroup, ALaterEpochWinsOverALaterClock) {
    east_.helm.set_epoch(2);
    auto word = make("ocs-east", Forced::drain);
    east_.helm.set_override(word, false);
    word.state = Forced::up;
    word.set_at = kNoon.wall + seconds(100);
    west_.helm.set_override(word, false);
    tell(west_.helm, east_.helm);
    EXPECT_EQ(east_.helm.overrides().entries().at(0).state, Forced::drain);
    tell(east_.helm, west_.helm);
    EXPECT_EQ(west_.helm.overrides().entries().at(0).state, Forced::drain);
    // Who has heard of it speaks in its epoch.
    west_.helm.set_override(word, false);
    tell(west_.helm, east_.helm);
    EXPECT_EQ(east_.helm.overrides().entries().at(0).state, Forced::up);
}

TEST_F(HelmGroup, TheHighestFenceIsKnownToAll) {
    EXPECT_TRUE(west_.helm.raise_fences({{{"control", {2, 9}}}}));
    EXPECT_FALSE(west_.helm.raise_fences({{{"control", {2, 8}}}}));
    EXPECT_EQ(west_.helm.fence(), (wire::contract::Fence{2, 9}));
    EXPECT_EQ(west_.helm.fences(), (wire::group::Fences{{{"control", {2, 9}}}}));
    EXPECT_EQ(west_.kept_control.size(), 1U);
    wire::contract::Desired old;
    old.fence = {2, 8};
    auto directives = Directives::read(old);
    const auto outcome = west_.helm.set_desired(std::get<Directives>(std::move(directives)), kNoon);
    EXPECT_TRUE(std::holds_alternative<Helm::Stale>(outcome));
}

TEST_F(HelmGroup, EqualInputsGiveEqualHashesAndAFlipChangesBoth) {
    EXPECT_EQ(east_.helm.decisions(), west_.helm.decisions());
    const auto before = roots_of(east_.helm.decisions());
    east_.set_health("ocs-east", State::down);
    east_.helm.refresh();
    const auto after = roots_of(east_.helm.decisions());
    EXPECT_NE(after.inputs, before.inputs);
    EXPECT_NE(after.tables, before.tables);
    west_.set_health("ocs-east", State::down);
    west_.helm.refresh();
    EXPECT_EQ(east_.helm.decisions(), west_.helm.decisions());
}

TEST_F(HelmGroup, AnotherConfigurationIsAnotherInput) {
    auto setup = two_sites();
    setup.configuration = "another";
    west_.helm.adopt(std::move(setup));
    EXPECT_NE(roots_of(east_.helm.decisions()).inputs, roots_of(west_.helm.decisions()).inputs);
    EXPECT_EQ(roots_of(east_.helm.decisions()).tables, roots_of(west_.helm.decisions()).tables);
}

}  // namespace
}  // namespace twinsite::gslb::control
