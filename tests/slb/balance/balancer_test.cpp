// SPDX-License-Identifier: Apache-2.0
#include "slb/balance/balancer.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "slb/balance/rendezvous.hpp"
#include "slb/balance/round_robin.hpp"
#include "slb/balance/volume.hpp"

namespace {

using namespace twinsite::slb::balance;

Loads loads_of(const std::vector<int>& outstanding) {
    Loads loads;
    loads.resize(outstanding.size());
    for (std::uint16_t i = 0; i < outstanding.size(); ++i) {
        loads.set_eligible(i, true);
        for (int n = 0; n < outstanding[i]; ++n) loads.sent(i);
    }
    return loads;
}

TEST(Volume, TakesTheFewestOutstanding) {
    Volume volume;
    Random random(1);
    auto loads = loads_of({3, 1, 2});
    EXPECT_EQ(volume.pick(loads.all(), random), 1);
    loads.sent(1);
    loads.sent(1);
    EXPECT_EQ(volume.pick(loads.all(), random), 2);
}

TEST(Volume, EqualMinimaShareAtRandom) {
    Volume volume;
    Random random(1);
    const auto loads = loads_of({5, 0, 0, 0});
    std::array<int, 4> picked{};
    for (int i = 0; i < 30'000; ++i) ++picked[*volume.pick(loads.all(), random)];
    EXPECT_EQ(picked[0], 0);
    for (int i = 1; i < 4; ++i) EXPECT_NEAR(picked[i], 10'000, 400);
}

TEST(Volume, PassesBladesThatAreNotEligible) {
    Volume volume;
    Random random(1);
    auto loads = loads_of({0, 7});
    loads.set_eligible(0, false);
    EXPECT_EQ(volume.pick(loads.all(), random), 1);
    loads.set_eligible(1, false);
    EXPECT_FALSE(volume.pick(loads.all(), random));
}

TEST(Volume, ANewBladeResetsNobodyAndTakesAllUntilLevel) {
    Volume volume;
    Random random(1);
    auto loads = loads_of({10, 10});
    loads.resize(3);
    loads.set_eligible(2, true);
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(volume.pick(loads.all(), random), 2);
        loads.sent(2);
    }
    EXPECT_EQ(loads[0].outstanding, 10u);
    EXPECT_EQ(loads[1].outstanding, 10u);
}

TEST(RoundRobin, GoesRoundAndPassesTheTurnOn) {
    RoundRobin balancer;
    Random random(1);
    auto loads = loads_of({0, 0, 0});
    std::vector<int> order;
    for (int i = 0; i < 4; ++i) order.push_back(*balancer.pick(loads.all(), random));
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 0}));
    loads.set_eligible(1, false);
    EXPECT_EQ(balancer.pick(loads.all(), random), 2);
    EXPECT_EQ(balancer.pick(loads.all(), random), 0);
}

TEST(Rendezvous, MovesOnlyTheShareOfTheBladeThatLeft) {
    auto loads = loads_of({0, 0, 0});
    const std::vector<std::uint64_t> seeds = {11, 22, 33};
    std::array<int, 3> share{};
    int moved = 0;
    for (std::uint64_t tag = 1; tag <= 30'000; ++tag) {
        loads.set_eligible(2, true);
        const auto before = *rendezvous(tag, seeds, loads.all());
        ++share[before];
        loads.set_eligible(2, false);
        const auto after = *rendezvous(tag, seeds, loads.all());
        if (before != 2 && before != after) ++moved;
    }
    EXPECT_EQ(moved, 0);
    for (const auto count : share) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Balancer, RegistryKnowsItsNamesOnly) {
    for (const auto& name : balancer_names()) EXPECT_NE(make_balancer(name), nullptr) << name;
    EXPECT_EQ(make_balancer("fastest"), nullptr);
}

}  // namespace
