// SPDX-License-Identifier: Apache-2.0
// The filters beyond override, up, nearest and failover; failure policies; types of records.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "gslb/steering/decide.hpp"
#include "gslb/steering/rendezvous.hpp"

namespace twinsite::gslb::steering {
namespace {

using base::text::parse_ip;
using enum FilterKind;
namespace type = wire::dns::type;

constexpr TargetState kUp{Health::up};
constexpr TargetState kDown{Health::down};

TargetState with_share(std::uint16_t permille) {
    TargetState out = kUp;
    out.share_permille = permille;
    return out;
}

/// Two targets at each of two sites.
class Filters : public testing::Test {
protected:
    Filters() {
        steering_.sites = {"east", "west"};
        Service dra{"dra", {}};
        const char* const addresses[] = {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"};
        const char* const names[] = {"e1", "e2", "w1", "w2"};
        for (std::size_t i = 0; i < 4; ++i)
            dra.targets.push_back(
                {names[i], static_cast<SiteIndex>(i / 2), {*parse_ip(addresses[i])}, 10}
            );
        Service database{"database", {{"d1", 0, {*parse_ip("192.0.2.9")}}}};
        steering_.services = {dra, database};
        policy_.owner = "dra.example.net";
    }

    void chain(std::vector<Filter> filters) {
        policy_.filters = std::move(filters);
        ASSERT_EQ(chain_error(policy_.filters), std::nullopt);
    }
    Plan run(std::uint16_t of = type::a) {
        trace_ = {};
        const Plan out = decide(steering_, policy_, states_, {}, of, facts_, &trace_);
        EXPECT_EQ(out, decide(steering_, policy_, states_, {}, of, facts_));
        return out;
    }
    std::string names(const Plan& plan) const {
        std::string out;
        for (const PlanMember& member : plan.members) {
            if (!out.empty()) out += ' ';
            out += member.target == kLastResort ? "last_resort"
                                                : steering_.services[0].targets[member.target].name;
        }
        return out;
    }
    std::string answer(std::uint16_t of = type::a) { return names(run(of)); }
    const Trace::Stage& stage(const std::string& name) const {
        for (const Trace::Stage& candidate : trace_.stages)
            if (candidate.filter == name) return candidate;
        ADD_FAILURE() << "no stage " << name;
        return trace_.stages.front();
    }
    std::vector<Target>& targets() { return steering_.services[0].targets; }

    Steering steering_;
    Policy policy_;
    std::vector<TargetState> states_{kUp, kUp, kUp, kUp};
    Facts facts_;
    Trace trace_;
};

Filter depends_on(Dependency wanted) {
    Filter out{depends};
    out.dependencies = {std::move(wanted)};
    return out;
}

TEST_F(Filters, DependsTakesOutTheSiteWhoseFactIsWrong) {
    Dependency rate;
    rate.fact = "db.success_rate";
    rate.least = 99.5;
    chain({{override_}, depends_on(rate), {up}, {failover}});
    facts_.values["db.success_rate@east"] = {98.25, true};
    facts_.values["db.success_rate"] = {99.9, true};
    EXPECT_EQ(answer(), "w1 w2");
    EXPECT_EQ(stage("depends").dropped[0].reason, "db.success_rate is 98.25, below 99.5");
    facts_.values["db.success_rate@east"].fresh = false;
    EXPECT_EQ(answer(), "e1 e2") << "what is stale says nothing";
    facts_.values.erase("db.success_rate@east");
    EXPECT_EQ(answer(), "e1 e2") << "the fact for all sites counts";
    states_[0].forced = Forced::up;
    facts_.values["db.success_rate@east"] = {0, true};
    EXPECT_EQ(answer(), "e1") << "an operator stands above facts";
}

TEST_F(Filters, DependsThatLeavesNothingFollowsTheFailurePolicy) {
    Dependency rate;
    rate.fact = "f";
    rate.most = 1;
    chain({{override_}, depends_on(rate), {up}, {failover}});
    facts_.values["f"] = {2, true};
    EXPECT_EQ(answer(), "e1 e2") << "open";
    policy_.all_down = AllDown::closed;
    EXPECT_EQ(run().mode, PlanMode::nodata);
}

TEST_F(Filters, DependsOnAServiceAtTheSameSite) {
    Dependency database;
    database.service = 1;
    chain({{override_}, depends_on(database), {up}, {failover}});
    std::vector<std::vector<TargetState>> all{states_, {kDown}};
    facts_.services = all;
    EXPECT_EQ(answer(), "w1 w2") << "in the west nothing of it runs, so nothing is missing";
    EXPECT_EQ(stage("depends").dropped[0].reason, "service database is down at east");
    all[1][0] = kUp;
    EXPECT_EQ(answer(), "e1 e2");
}

TEST_F(Filters, FirstKeepsSoMany) {
    Filter two{first};
    two.count = 2;
    chain({{override_}, {up}, two});
    EXPECT_EQ(answer(), "e1 e2");
    states_[0] = kDown;
    EXPECT_EQ(answer(), "e2 w1");
}

TEST_F(Filters, RotateTurnsAndFirstCutsEachTurn) {
    Filter two{first};
    two.count = 2;
    chain({{override_}, {up}, {rotate}, two});
    const Plan plan = run();
    EXPECT_EQ(plan.mode, PlanMode::rotate);
    EXPECT_EQ(plan.take, 2u);
    EXPECT_EQ(plan.members.size(), 4u);
}

TEST_F(Filters, StickyRanksByWeightAndGroup) {
    chain({{override_}, {up}, {sticky}});
    Plan plan = run();
    EXPECT_EQ(plan.mode, PlanMode::sticky_one);
    EXPECT_EQ(plan.sticky_bits_v4, 24);
    EXPECT_EQ(plan.sticky_bits_v6, 56);
    EXPECT_EQ(plan.members[0].key, member_key("dra", "e1"));
    policy_.filters[2].group = "charging";
    EXPECT_EQ(run().members[0].key, member_key("charging", "e1"));
    states_ = {kDown, kDown, kUp, kDown};
    plan = run();
    EXPECT_EQ(plan.mode, PlanMode::all) << "one needs no draw";
    EXPECT_EQ(plan.sticky_bits_v4, 24) << "scopes do not change in a failover";
}

TEST_F(Filters, LoadScalesWeights) {
    chain({{override_}, {up}, {load}, {weighted}});
    states_ = {with_share(500), kUp, with_share(0), kUp};
    const Plan plan = run();
    EXPECT_EQ(names(plan), "e1 e2 w2") << "nothing is left of w1's share";
    EXPECT_EQ(plan.members[0].weight * 2, plan.members[1].weight);
    states_ = {with_share(0), with_share(0), with_share(0), with_share(0)};
    EXPECT_EQ(answer(), "e1 e2 w1 w2") << "all overloaded: load does not count";
}

TEST_F(Filters, LoadSpillsToTheNextSite) {
    chain({{override_}, {up}, {load}, {failover}});
    EXPECT_EQ(answer(), "e1 e2");
    states_ = {with_share(700), with_share(500), kUp, kUp};
    Plan plan = run();
    ASSERT_EQ(plan.mode, PlanMode::weighted_one);
    ASSERT_EQ(plan.options.size(), 2u);
    EXPECT_EQ(plan.options[0].weight, 600'000u);
    EXPECT_EQ(plan.options[1].weight, 400'000u);
    EXPECT_EQ(plan.options[1].members, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(stage("failover").note, "site east takes 60 %; site west takes 40 %");
    states_ = {with_share(0), with_share(0), kUp, kUp};
    EXPECT_EQ(answer(), "w1 w2") << "the east has nothing to give";
    states_ = {with_share(0), with_share(0), with_share(0), with_share(0)};
    EXPECT_EQ(answer(), "e1 e2");
}

TEST_F(Filters, SpilledClientsAreDrawnOverAllTargetsOfBothSites) {
    chain({{override_}, {up}, {load}, {failover}, {sticky}});
    states_ = {with_share(600), with_share(600), kUp, kUp};
    targets()[0].weight = 30;
    const Plan plan = run();
    ASSERT_EQ(plan.mode, PlanMode::sticky_one);
    ASSERT_EQ(plan.members.size(), 4u);
    EXPECT_EQ(plan.members[0].weight, 450'000u) << "three quarters of 60 %";
    EXPECT_EQ(plan.members[2].weight, 200'000u);
}

TEST_F(Filters, AReturnedSiteWaitsAsThePolicySays) {
    Filter order{failover};
    chain({{override_}, {up}, order});
    states_[0].returned = states_[1].returned = true;
    EXPECT_EQ(answer(), "e1 e2") << "automatic";
    policy_.filters[2].fail_back = FailBack::manual;
    EXPECT_EQ(answer(), "w1 w2");
    EXPECT_EQ(
        stage("failover").note,
        "e1 is back and waits for an operator; e2 is back and waits for an operator"
    );
    policy_.filters[2].fail_back = FailBack::delayed;
    policy_.filters[2].delay = std::chrono::seconds(300);
    states_[0].returned_for_s = states_[1].returned_for_s = 60;
    EXPECT_EQ(answer(), "w1 w2");
    states_[0].returned_for_s = states_[1].returned_for_s = 300;
    EXPECT_EQ(answer(), "e1 e2");
    policy_.filters[2].fail_back = FailBack::manual;
    states_[2] = states_[3] = kDown;
    EXPECT_EQ(answer(), "e1 e2") << "nothing else is left";
    states_[2] = states_[3] = kUp;
    states_[0].forced = Forced::up;
    EXPECT_EQ(answer(), "e1 e2") << "an operator's word ends the wait of the site";
}

TEST_F(Filters, LastResortIsAnsweredWhenNothingIsLeft) {
    policy_.all_down = AllDown::last_resort;
    policy_.last_resort.addresses = {*parse_ip("203.0.113.99")};
    chain({{override_}, {up}, {failover}});
    EXPECT_EQ(answer(), "e1 e2");
    states_ = {kDown, kDown, kDown, kDown};
    Plan plan = run();
    EXPECT_EQ(names(plan), "last_resort");
    EXPECT_EQ(plan.members[0].rdatas[0], (std::vector<std::uint8_t>{203, 0, 113, 99}));
    EXPECT_EQ(run(type::aaaa).mode, PlanMode::nodata);
    for (TargetState& state : states_) state.forced = Forced::down;
    EXPECT_EQ(answer(), "last_resort") << "it is not health that gates it";
}

TEST_F(Filters, ACnameAsLastResortNeedsThatNothingIsLeftForAnyType) {
    policy_.all_down = AllDown::last_resort;
    policy_.last_resort.records = {{type::cname, {1, 'x', 0}}};
    targets()[3].addresses = {*parse_ip("2001:db8::4")};
    chain({{override_}, {up}, {failover}});
    states_ = {kDown, kDown, kDown, kUp};
    EXPECT_EQ(run(type::a).mode, PlanMode::nodata);
    EXPECT_EQ(answer(type::aaaa), "w2");
    states_[3] = kDown;
    const Plan plan = run(type::a);
    EXPECT_EQ(plan.type, type::cname);
    EXPECT_EQ(run(type::aaaa).type, type::cname);
}

TEST_F(Filters, LastKnownIsThoseThatWereUpLast) {
    policy_.all_down = AllDown::last_known;
    chain({{override_}, {up}, {failover}});
    states_ = {kDown, kDown, kDown, kDown};
    EXPECT_EQ(answer(), "e1 e2") << "nothing is known of before";
    states_[2].last_up = true;
    EXPECT_EQ(answer(), "w1");
}

TEST_F(Filters, TtlFollowsTheSoonestPossibleChange) {
    chain({{override_}, {up}, {failover}});
    EXPECT_EQ(run().ttl_s, 30u);
    states_[0].soonest_change_s = 12;
    EXPECT_EQ(run().ttl_s, 12u);
    EXPECT_EQ(trace_.ttl_note, "the answer changes if e1 turns, in no less than 12 s");
    states_[0].soonest_change_s = 2;
    EXPECT_EQ(run().ttl_s, 5u) << "no less than ttl_min";
    states_[0].soonest_change_s = 3600;
    EXPECT_EQ(run().ttl_s, 30u);
    states_[2].soonest_change_s = 8;
    EXPECT_EQ(run().ttl_s, 30u) << "the west is not in the answer";
    states_[1].pending = true;
    EXPECT_EQ(run().ttl_s, 5u);
}

TEST_F(Filters, TargetsAnswerTheTypesThatTheyHave) {
    targets()[0].records = {{type::srv, {0, 1, 0, 1, 15, 28, 1, 'e', 0}}};
    targets()[3].records = {{type::srv, {0, 2, 0, 1, 15, 28, 1, 'w', 0}}};
    chain({{override_}, {up}});
    EXPECT_EQ(
        steered_types(policy_, steering_),
        (std::vector<std::uint16_t>{type::a, type::aaaa, type::srv})
    );
    EXPECT_EQ(answer(type::srv), "e1 w2");
    EXPECT_EQ(stage("type").dropped[0].reason, "has no SRV record");
    states_[0] = kDown;
    EXPECT_EQ(answer(type::srv), "w2");
    EXPECT_EQ(answer(), "e2 w1 w2");
}

TEST_F(Filters, ACnameAnswersEveryTypeAndStandsAlone) {
    for (Target& target : targets()) {
        target.addresses.clear();
        target.records = {
            {type::cname,
             {2,
              static_cast<std::uint8_t>(target.name[0]),
              static_cast<std::uint8_t>(target.name[1]),
              0}}
        };
    }
    chain({{override_}, {up}, {failover}});
    EXPECT_EQ(steered_types(policy_, steering_), (std::vector<std::uint16_t>{type::cname}));
    const Plan plan = run(type::cname);
    EXPECT_EQ(names(plan), "e1") << "two CNAME records at one name are an error";
    EXPECT_EQ(plan.type, type::cname);
}

TEST_F(Filters, HintsAreThoseOfTheAddressesInTheAnswer) {
    const std::vector<std::uint8_t> service{0, 1, 0};  // 1 .
    for (Target& target : targets()) target.records = {{type::https, service, true}};
    targets()[1].addresses.push_back(*parse_ip("2001:db8::2"));
    chain({{override_}, {up}, {failover}});
    Plan plan = run(type::https);
    ASSERT_EQ(plan.members.size(), 1u) << "one record for both";
    ASSERT_EQ(plan.members[0].rdatas.size(), 1u);
    std::vector<std::uint8_t> expected{
        0, 1, 0, 0, 4, 0, 8, 192, 0, 2, 1, 192, 0, 2, 2, 0, 6, 0, 16
    };
    const auto v6 = parse_ip("2001:db8::2")->bytes;
    expected.insert(expected.end(), v6.begin(), v6.end());
    EXPECT_EQ(plan.members[0].rdatas[0], expected);
    states_[1] = kDown;
    plan = run(type::https);
    EXPECT_EQ(
        plan.members[0].rdatas[0], (std::vector<std::uint8_t>{0, 1, 0, 0, 4, 0, 4, 192, 0, 2, 1})
    );
}

TEST_F(Filters, TheResolversAddressCanBeTheOnlyOneThatCounts) {
    policy_.use_client_subnet = false;
    chain({{override_}, {up}, {nearest}, {failover}});
    EXPECT_TRUE(run().ignores_subnet);
}

// ---------------------------------------------------------------- properties

/// Random policies, states and facts, from a seed.
class RandomWorld {
public:
    explicit RandomWorld(std::uint32_t seed) : random_(seed) {
        steering.sites = {"a", "b", "c"};
        Service service{"s", {}};
        const std::size_t count = 1 + random_() % 6;
        for (std::size_t i = 0; i < count; ++i) {
            Target target{"t" + std::to_string(i), static_cast<SiteIndex>(random_() % 3), {}, 0};
            target.weight = random_() % 4;
            const auto octet = std::to_string(i + 1);
            if (random_() % 4 != 0) target.addresses.push_back(*parse_ip("192.0.2." + octet));
            if (random_() % 2 != 0) target.addresses.push_back(*parse_ip("2001:db8::" + octet));
            service.targets.push_back(target);
            states.push_back(draw_state());
        }
        steering.services = {service};
        policy.all_down = static_cast<AllDown>(random_() % 4);
        policy.last_resort.addresses = {*parse_ip("203.0.113.1")};
        policy.filters = {{override_}};
        if (random_() % 8 != 0) policy.filters.push_back({up});
        if (random_() % 2 != 0) policy.filters.push_back({nearest});
        const FilterKind ends[] = {weighted, sticky, rotate, all};
        const bool shares = random_() % 3 == 0;
        if (shares) policy.filters.push_back({load});
        const bool one_site = random_() % 2 != 0;
        if (one_site) {
            policy.filters.push_back({failover});
            policy.filters.back().fail_back = static_cast<FailBack>(random_() % 3);
        }
        const FilterKind end = ends[random_() % (shares && !one_site ? 2 : 4)];
        policy.filters.push_back({end});
        listed = {static_cast<SiteIndex>(random_() % 3)};
    }

    Steering steering;
    Policy policy;
    std::vector<TargetState> states;
    SiteOrder listed;

private:
    TargetState draw_state() {
        TargetState out;
        out.health = static_cast<Health>(random_() % 3);
        out.pending = random_() % 4 == 0;
        out.forced = static_cast<Forced>(random_() % 8 < 4 ? 0 : random_() % 4);
        out.share_permille =
            random_() % 2 == 0 ? 1000 : static_cast<std::uint16_t>(random_() % 1001);
        out.last_up = random_() % 2 == 0;
        out.returned = random_() % 4 == 0;
        return out;
    }

    std::mt19937 random_;
};

/// What is answered, by the targets' names, whatever their numbers.
std::vector<std::string> picture(const Plan& plan, const Service& service) {
    std::vector<std::string> out;
    for (const PlanMember& member : plan.members)
        out.push_back(
            (member.target == kLastResort ? "last" : service.targets[member.target].name) + " " +
            std::to_string(member.weight) + " " + std::to_string(member.key)
        );
    std::sort(out.begin(), out.end());
    out.push_back(std::to_string(static_cast<int>(plan.mode)));
    out.push_back(std::to_string(plan.ttl_s));
    return out;
}

TEST(DecideProperties, TheOrderOfTargetsInTheConfigurationMovesNoAnswer) {
    for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
        const RandomWorld straight(seed);
        RandomWorld turned(seed);
        std::reverse(
            turned.steering.services[0].targets.begin(), turned.steering.services[0].targets.end()
        );
        std::reverse(turned.states.begin(), turned.states.end());
        for (const auto of : {type::a, type::aaaa}) {
            const auto one = decide(
                straight.steering, straight.policy, straight.states, straight.listed, of, no_facts()
            );
            const auto two = decide(
                turned.steering, turned.policy, turned.states, turned.listed, of, no_facts()
            );
            ASSERT_EQ(
                picture(one, straight.steering.services[0]),
                picture(two, turned.steering.services[0])
            ) << "seed "
              << seed;
        }
    }
}

std::string told(const Trace& trace) {
    std::string out;
    for (const auto& stage : trace.stages) {
        out += stage.filter + ":";
        for (const auto& kept : stage.kept) out += " " + kept;
        for (const auto& drop : stage.dropped) out += " -" + drop.target + "(" + drop.reason + ")";
        out += " " + stage.note + "\n";
    }
    return out + trace.ttl_note + to_string(trace.precedence);
}

TEST(DecideProperties, EqualInputsGiveEqualWordsAndPlans) {
    for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
        const RandomWorld one(seed);
        const RandomWorld two(seed);
        Trace first_trace;
        Trace second_trace;
        const auto a = decide(
            one.steering, one.policy, one.states, one.listed, type::a, no_facts(), &first_trace
        );
        const auto b = decide(
            two.steering, two.policy, two.states, two.listed, type::a, no_facts(), &second_trace
        );
        ASSERT_EQ(a, b);
        ASSERT_EQ(told(first_trace), told(second_trace));
    }
}

/// What every plan must keep, whatever the chain: G-T11, G-T13.
TEST(DecideProperties, ForcedDownIsNeverAnsweredAndUnknownIsNotUp) {
    for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
        const RandomWorld world(seed);
        const bool by_health =
            world.policy.filters.size() > 1 && world.policy.filters[1].kind == up;
        for (const auto of : {type::a, type::aaaa}) {
            const Plan plan =
                decide(world.steering, world.policy, world.states, world.listed, of, no_facts());
            ASSERT_EQ(plan.members.empty(), plan.mode == PlanMode::nodata);
            ASSERT_GE(plan.ttl_s, 5u);
            ASSERT_LE(plan.ttl_s, 30u);
            const auto effective = [&](std::size_t i) {
                const auto& state = world.states[i];
                return state.forced == Forced::up ? Health::up : state.health;
            };
            bool up_there = false;
            for (std::size_t i = 0; i < world.states.size(); ++i) {
                const auto& target = world.steering.services[0].targets[i];
                const bool has = std::any_of(
                    target.addresses.begin(),
                    target.addresses.end(),
                    [&](const auto& a) { return a.family == family_of(of); }
                );
                up_there |= has && effective(i) == Health::up &&
                            world.states[i].forced != Forced::down &&
                            world.states[i].forced != Forced::drain;
            }
            for (const PlanMember& member : plan.members) {
                ASSERT_FALSE(member.rdatas.empty());
                ASSERT_GE(member.weight, 1u);
                if (member.target == kLastResort) continue;
                ASSERT_NE(world.states[member.target].forced, Forced::down) << "seed " << seed;
                // "Never all up": what is not known to be up is not answered beside what is.
                if (by_health && up_there)
                    ASSERT_EQ(effective(member.target), Health::up) << "seed " << seed;
            }
        }
    }
}

}  // namespace
}  // namespace twinsite::gslb::steering
