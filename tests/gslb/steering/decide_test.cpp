// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/decide.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::steering {
namespace {

using base::text::Family;
using base::text::parse_ip;
using enum FilterKind;

constexpr TargetState kUp{Health::up, false, Forced::none};
constexpr TargetState kDown{Health::down, false, Forced::none};
constexpr TargetState kUnknown{Health::unknown, true, Forced::none};

TargetState pending(TargetState state) {
    state.pending = true;
    return state;
}
TargetState forced(TargetState state, Forced word) {
    state.forced = word;
    return state;
}

constexpr SiteIndex kEast = 0;
constexpr SiteIndex kWest = 1;
constexpr SiteIndex kNorth = 2;

/// Two targets in the east, one in the west, one in the north. IPv6 only in west and north.
class Decide : public testing::Test {
protected:
    Decide() {
        steering_.sites = {"east", "west", "north"};
        steering_.services = {
            {"ocs",
             {{"e1", kEast, {*parse_ip("192.0.2.1")}, 10},
              {"e2", kEast, {*parse_ip("192.0.2.2")}, 0},
              {"w1", kWest, {*parse_ip("198.51.100.1"), *parse_ip("2001:db8:1::1")}, 30},
              {"n1", kNorth, {*parse_ip("203.0.113.1"), *parse_ip("2001:db8:2::1")}, 5}}}
        };
        policy_.owner = "ocs.example.net";
        chain({override_, up, nearest, failover});
    }

    void chain(std::vector<FilterKind> kinds) {
        policy_.filters.clear();
        for (const FilterKind kind : kinds) policy_.filters.push_back({kind, {}});
        ASSERT_EQ(chain_error(policy_.filters), std::nullopt);
    }
    Filter& filter(FilterKind kind) {
        for (Filter& candidate : policy_.filters)
            if (candidate.kind == kind) return candidate;
        ADD_FAILURE();
        return policy_.filters.front();
    }

    Plan decide_for(SiteOrder listed, Family family = Family::v4) {
        trace_ = {};
        Plan plan = decide(steering_, policy_, states_, listed, family, &trace_);
        EXPECT_EQ(plan, decide(steering_, policy_, states_, listed, family))
            << "listening must not change the decision";
        EXPECT_EQ(plan.members.empty(), plan.mode == PlanMode::nodata);
        return plan;
    }
    std::string names(const Plan& plan) const {
        std::string out;
        for (const PlanMember& member : plan.members) {
            if (!out.empty()) out += ' ';
            out += steering_.services[0].targets[member.target].name;
        }
        return out;
    }
    std::string answer(SiteOrder listed = {}, Family family = Family::v4) {
        return names(decide_for(std::move(listed), family));
    }
    const Trace::Stage& stage(const std::string& name) const {
        for (const Trace::Stage& candidate : trace_.stages)
            if (candidate.filter == name) return candidate;
        ADD_FAILURE() << "no stage " << name;
        return trace_.stages.front();
    }

    Steering steering_;
    Policy policy_;
    std::vector<TargetState> states_{kUp, kUp, kUp, kUp};
    Trace trace_;
};

std::string reason(const Trace::Stage& stage, const std::string& target) {
    for (const Trace::Drop& drop : stage.dropped)
        if (drop.target == target) return drop.reason;
    return "";
}

TEST_F(Decide, TheSiteOfTheClassComesFirst) {
    EXPECT_EQ(answer({kWest}), "w1");
    EXPECT_EQ(answer({kNorth, kEast}), "n1");
    EXPECT_EQ(answer({kEast}), "e1 e2") << "failover keeps all targets of the first site";
}

TEST_F(Decide, AClientWithoutClassGetsTheDefaultOrder) {
    EXPECT_EQ(answer(), "e1 e2");
    filter(nearest).order = {kNorth};
    EXPECT_EQ(answer(), "n1");
    EXPECT_EQ(answer({kWest}), "w1");
}

TEST_F(Decide, ADeadSiteIsFollowedByTheNextOfTheClass) {
    states_ = {kDown, kDown, kUp, kUp};
    EXPECT_EQ(answer({kEast}), "w1");
    EXPECT_EQ(answer({kEast, kNorth}), "n1");
    EXPECT_EQ(reason(stage("up"), "e1"), "health is down");
    EXPECT_EQ(reason(stage("failover"), "w1"), "site north comes first");
}

TEST_F(Decide, ADeadTargetLeavesTheOthersOfItsSite) {
    states_[0] = kDown;
    EXPECT_EQ(answer({kEast}), "e2");
}

TEST_F(Decide, UnknownTargetsAreUsedOnlyWhenNoneIsUp) {
    states_ = {kUnknown, kUnknown, kUp, kDown};
    EXPECT_EQ(answer({kEast}), "w1");
    EXPECT_EQ(reason(stage("up"), "e1"), "not probed yet, and others are up");
    states_ = {kUnknown, kDown, kDown, kDown};
    EXPECT_EQ(answer({kWest}), "e1");
}

TEST_F(Decide, AllDownOpenAnswersAsIfAllWereUp) {
    states_ = {kDown, kDown, kDown, kDown};
    EXPECT_EQ(answer({kWest}), "w1");
    EXPECT_EQ(stage("up").note, "all are down, all_down is open: answered as if all were up");
    EXPECT_TRUE(stage("up").dropped.empty());
}

TEST_F(Decide, AllDownClosedIsNoData) {
    policy_.all_down = AllDown::closed;
    states_ = {kDown, kDown, kDown, kDown};
    EXPECT_EQ(decide_for({kWest}).mode, PlanMode::nodata);
    EXPECT_EQ(stage("up").note, "all are down, all_down is closed: no data");
    EXPECT_EQ(trace_.precedence, Precedence::health);
}

TEST_F(Decide, OverrideStandsAboveHealth) {
    states_ = {forced(kDown, Forced::up), kDown, kUp, kUp};
    EXPECT_EQ(answer({kEast}), "e1");
    EXPECT_EQ(trace_.precedence, Precedence::override_);
    EXPECT_EQ(stage("override").note, "e1 is forced up");

    states_ = {forced(kUp, Forced::down), forced(kUp, Forced::down), kUp, kUp};
    EXPECT_EQ(answer({kEast}), "w1");
    EXPECT_EQ(trace_.precedence, Precedence::override_);
    EXPECT_EQ(reason(stage("override"), "e1"), "forced down by override");
}

TEST_F(Decide, AnOverrideThatChangesNothingDoesNotSpeak) {
    states_ = {kUp, kUp, forced(kUp, Forced::down), kUp};
    EXPECT_EQ(answer({kEast}), "e1 e2");
    EXPECT_EQ(trace_.precedence, Precedence::none);
    states_ = {kDown, kDown, kUp, forced(kUp, Forced::down)};
    EXPECT_EQ(answer({kEast}), "w1");
    EXPECT_EQ(trace_.precedence, Precedence::health);
}

TEST_F(Decide, ForcedDownIsNeverAnsweredNotEvenWhenAllElseIsDown) {
    states_ = {forced(kUp, Forced::down), forced(kUp, Forced::down), kDown, kDown};
    EXPECT_EQ(answer({kEast}), "w1") << "open: health is not believed, the operator is";
    for (TargetState& state : states_) state.forced = Forced::down;
    EXPECT_EQ(decide_for({kEast}).mode, PlanMode::nodata);
    EXPECT_EQ(stage("override").note, "every target is forced down: no data");
}

TEST_F(Decide, DrainedTargetsGetNoNewClientsUnlessNothingElseIsUp) {
    states_ = {forced(kUp, Forced::drain), forced(kUp, Forced::drain), kUp, kUp};
    EXPECT_EQ(answer({kEast}), "w1");
    EXPECT_EQ(reason(stage("override"), "e1"), "draining by override");

    states_ = {forced(kUp, Forced::drain), forced(kDown, Forced::drain), kDown, kDown};
    EXPECT_EQ(answer({kWest}), "e1");
    EXPECT_EQ(stage("up").note, "nothing else is up: draining targets are used");

    for (TargetState& state : states_) state = forced(kUp, Forced::drain);
    EXPECT_EQ(answer({kWest}), "w1");
    EXPECT_EQ(stage("override").note, "all that is left drains, so it is used");
}

TEST_F(Decide, DrainedAndDownIsNotBroughtBackByAllDown) {
    states_ = {forced(kDown, Forced::drain), forced(kDown, Forced::drain), kDown, kDown};
    EXPECT_EQ(answer({kEast}), "w1");
}

TEST_F(Decide, WithoutUpHealthDoesNotCount) {
    chain({override_, nearest, failover});
    states_ = {kDown, kDown, kUp, kUp};
    EXPECT_EQ(answer({kEast}), "e1 e2");
}

TEST_F(Decide, FamiliesAreChosenApart) {
    EXPECT_EQ(answer({kEast}, Family::v6), "w1") << "G-T5: the next site that has the family";
    EXPECT_EQ(reason(stage("family"), "e1"), "has no IPv6 address");
    const Plan plan = decide_for({kEast}, Family::v6);
    ASSERT_EQ(plan.members.size(), 1u);
    EXPECT_EQ(
        plan.members[0].addresses, (std::vector<base::text::IpAddress>{*parse_ip("2001:db8:1::1")})
    );
}

TEST_F(Decide, NoDataOnlyWhenNoSiteHasTheFamily) {
    for (Target& target : steering_.services[0].targets)
        std::erase_if(target.addresses, [](const auto& a) { return a.family == Family::v6; });
    const Plan plan = decide_for({kEast}, Family::v6);
    EXPECT_EQ(plan.mode, PlanMode::nodata);
    EXPECT_FALSE(plan.client_dependent);
    EXPECT_EQ(stage("family").note, "no target has an IPv6 address");
    EXPECT_EQ(answer({kEast}), "e1 e2");
}

TEST_F(Decide, FailoverWithAnOrderOfItsOwnIgnoresTheClient) {
    filter(failover).order = {kNorth, kWest};
    EXPECT_EQ(answer({kEast}), "n1");
    EXPECT_FALSE(decide_for({kEast}).client_dependent);
    states_[3] = kDown;
    EXPECT_EQ(answer({kEast}), "w1");
    states_[2] = kDown;
    EXPECT_EQ(answer({kWest}), "e1 e2") << "sites the order leaves out follow";
}

TEST_F(Decide, WithoutFailoverAllAreAnsweredNearestFirst) {
    chain({override_, up, nearest});
    EXPECT_EQ(answer({kWest}), "w1 e1 e2 n1");
    chain({override_, up});
    EXPECT_EQ(answer({kWest}), "e1 e2 w1 n1");
}

TEST_F(Decide, WeightedDrawsOneAndKeepsWeightZeroForLast) {
    chain({override_, up, weighted});
    Plan plan = decide_for({kWest});
    EXPECT_EQ(plan.mode, PlanMode::weighted_one);
    EXPECT_EQ(names(plan), "e1 w1 n1");
    EXPECT_EQ(plan.members[1].weight, 30u);
    EXPECT_EQ(reason(stage("weighted"), "e2"), "weight 0, and others have a weight");

    states_ = {kDown, kUp, kDown, kDown};
    plan = decide_for({kWest});
    EXPECT_EQ(names(plan), "e2");
    EXPECT_EQ(plan.mode, PlanMode::all) << "one member needs no draw";
    EXPECT_EQ(plan.members[0].weight, 1u);
}

TEST_F(Decide, WeightsOfZeroAloneAreDrawnEvenly) {
    chain({override_, up, weighted});
    for (Target& target : steering_.services[0].targets) target.weight = 0;
    const Plan plan = decide_for({});
    EXPECT_EQ(names(plan), "e1 e2 w1 n1");
    EXPECT_EQ(plan.mode, PlanMode::weighted_one);
    for (const PlanMember& member : plan.members) EXPECT_EQ(member.weight, 1u);
}

TEST_F(Decide, FailureRisesThroughWeightedToTheNextSite) {
    chain({override_, up, nearest, failover, weighted});
    EXPECT_EQ(answer({kEast}), "e1") << "e2 has weight 0";
    states_ = {kDown, kUp, kUp, kUp};
    EXPECT_EQ(answer({kEast}), "e2");
    states_ = {kDown, kDown, kUp, kUp};
    EXPECT_EQ(answer({kEast}), "w1");
}

TEST_F(Decide, TtlIsShortOnlyWhileAChangeNearWouldChangeThisAnswer) {
    EXPECT_EQ(decide_for({kEast}).ttl_s, 30u);
    states_[0] = pending(kUp);
    EXPECT_EQ(decide_for({kEast}).ttl_s, 5u);
    EXPECT_EQ(trace_.ttl_note, "min: the answer changes if e1 turns");
    EXPECT_EQ(decide_for({kWest}).ttl_s, 30u) << "e1 is not in the answer for the west";
    states_ = {kUp, kUp, pending(kDown), kUp};
    EXPECT_EQ(decide_for({kWest}).ttl_s, 5u) << "the better site may come back";
    EXPECT_EQ(decide_for({kEast}).ttl_s, 30u);
    states_[2] = forced(pending(kDown), Forced::down);
    EXPECT_EQ(decide_for({kWest}).ttl_s, 30u) << "a forced target does not turn";
}

TEST_F(Decide, TtlIsShortWhileAnUnknownTargetMayStillWin) {
    states_ = {kUp, kUp, {Health::unknown, false, Forced::none}, kUp};
    EXPECT_EQ(decide_for({kWest}).ttl_s, 5u);
    EXPECT_EQ(decide_for({kEast}).ttl_s, 30u);
}

TEST_F(Decide, DependenceOnTheClientFollowsFromTheConfiguration) {
    EXPECT_TRUE(decide_for({kEast}).client_dependent);
    states_ = {kDown, kDown, kDown, kUp};
    EXPECT_TRUE(decide_for({kEast}).client_dependent) << "scopes do not change in a failover";
    chain({override_, up, failover});
    EXPECT_FALSE(decide_for({kEast}).client_dependent);
    chain({override_, up, nearest, weighted});
    EXPECT_FALSE(decide_for({kEast}).client_dependent) << "the draw is over all sites";
    chain({override_, up, nearest, failover, weighted});
    EXPECT_TRUE(decide_for({kEast}).client_dependent);
    chain({override_, up, nearest, failover});
    for (Target& target : steering_.services[0].targets) target.site = kWest;
    EXPECT_FALSE(decide_for({kEast}).client_dependent) << "one site only";
}

TEST_F(Decide, TheTraceTellsEveryStage) {
    states_ = {kDown, kUp, kUp, kUp};
    decide_for({kWest});
    std::vector<std::string> filters;
    for (const Trace::Stage& one : trace_.stages) filters.push_back(one.filter);
    EXPECT_EQ(
        filters, (std::vector<std::string>{"family", "override", "up", "nearest", "failover"})
    );
    EXPECT_EQ(stage("family").kept, (std::vector<std::string>{"e1", "e2", "w1", "n1"}));
    EXPECT_EQ(stage("up").kept, (std::vector<std::string>{"e2", "w1", "n1"}));
    EXPECT_EQ(stage("nearest").kept, (std::vector<std::string>{"w1", "e2", "n1"}));
    EXPECT_EQ(stage("nearest").note, "order of the client's class: west, east, north");
    EXPECT_EQ(stage("failover").kept, (std::vector<std::string>{"w1"}));
    EXPECT_EQ(trace_.sites, (std::vector<std::string>{"west", "east", "north"}));
    EXPECT_EQ(trace_.precedence, Precedence::none) << "the dead e1 was not wanted here";
}

/// Every combination of health and override of three targets, checked against the rules in words.
TEST_F(Decide, EveryStateObeysThePrecedenceOfTheRules) {
    steering_.services[0].targets.erase(steering_.services[0].targets.begin() + 1);
    chain({override_, up, nearest, failover});
    const auto rank = [](const TargetState& state) {
        const bool drains = state.forced == Forced::drain;
        const Health health = state.forced == Forced::up ? Health::up : state.health;
        if (state.forced == Forced::down) return 9;
        if (health == Health::up) return drains ? 3 : 1;
        if (health == Health::unknown) return drains ? 4 : 2;
        return drains ? 6 : 5;
    };
    for (int code = 0; code < 12 * 12 * 12; ++code) {
        states_.clear();
        for (int rest = code, i = 0; i < 3; ++i, rest /= 12)
            states_.push_back(
                {static_cast<Health>(rest % 12 % 3), false, static_cast<Forced>(rest % 12 / 3)}
            );
        // The best rank wins; within it the client's order n1, e1, w1.
        const char* const names_in_order[] = {"n1", "e1", "w1"};
        const std::size_t order[] = {2, 0, 1};
        int best = 9;
        std::string expected;
        for (std::size_t i = 0; i < 3; ++i)
            if (rank(states_[order[i]]) < best) {
                best = rank(states_[order[i]]);
                expected = names_in_order[i];
            }
        ASSERT_EQ(answer({kNorth, kEast}), expected) << "state " << code;
    }
}

}  // namespace
}  // namespace twinsite::gslb::steering
