// SPDX-License-Identifier: Apache-2.0
// What shapes the inputs of decisions over time: loads, returns of sites, delays.
#include <gtest/gtest.h>

#include "gslb/steering/delay_table.hpp"
#include "gslb/steering/load_share.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/steering/site_returns.hpp"
#include "gslb/steering/svcb_hints.hpp"

namespace twinsite::gslb::steering {
namespace {

using base::text::parse_ip;
using base::text::parse_prefix;
using std::chrono::seconds;

TEST(LoadShare, BetweenTheWatermarksTheShareFallsInALine) {
    const LoadLimits limits{60, 80, 100, seconds(10)};
    EXPECT_EQ(wanted_share(0, limits), 1000);
    EXPECT_EQ(wanted_share(60, limits), 1000);
    EXPECT_EQ(wanted_share(65, limits), 750);
    EXPECT_EQ(wanted_share(80, limits), 0);
    EXPECT_EQ(wanted_share(500, limits), 0);
}

TEST(LoadShare, WalksByBoundedStepsAndBackWhenReportsEnd) {
    const LoadLimits limits{60, 80, 100, seconds(10)};
    LoadShare share;
    EXPECT_EQ(share.advance(limits, seconds(100)), 1000);
    share.report(100, 1, seconds(109));
    EXPECT_EQ(share.advance(limits, seconds(109)), 1000) << "within the period nothing moves";
    EXPECT_EQ(share.advance(limits, seconds(110)), 900);
    EXPECT_EQ(share.advance(limits, seconds(119)), 900);
    share.report(100, 2, seconds(119));
    EXPECT_EQ(share.advance(limits, seconds(140)), 600) << "three periods, three steps";
    EXPECT_EQ(share.advance(limits, seconds(150)), 700) << "older than three periods: neutral";
    EXPECT_EQ(share.advance(limits, seconds(1000)), 1000);
}

TEST(LoadShare, AnOlderReportDoesNotCount) {
    LoadShare share;
    share.report(10, 7, seconds(50));
    share.report(99, 6, seconds(49));
    EXPECT_EQ(share.last()->percent, 10);
    share.report(50, 1, seconds(60));
    EXPECT_EQ(share.last()->percent, 50) << "a reporter that began again";
}

class Returns : public testing::Test {
protected:
    Returns() {
        steering_.sites = {"east", "west"};
        steering_.services = {{"s", {{"e", 0, {}}, {"w", 1, {}}}}};
        steering_.policies.resize(1);
        steering_.policies[0].filters = {{FilterKind::failover}};
        filter().fail_back = FailBack::delayed;
        filter().delay = seconds(60);
    }
    Filter& filter() { return steering_.policies[0].filters[0]; }
    const TargetState& east(Health health, int at, Forced forced = Forced::none) {
        states_[0] = {health};
        states_[0].forced = forced;
        states_[1] = {Health::up};
        returns_.update(steering_, 0, states_, seconds(at));
        return states_[0];
    }

    Steering steering_;
    std::vector<TargetState> states_{2};
    SiteReturns returns_;
};

TEST_F(Returns, ASiteThatWasLostIsMarkedUntilItsDelayHasPassed) {
    EXPECT_FALSE(east(Health::unknown, 0).returned);
    EXPECT_FALSE(east(Health::up, 1).returned) << "it was never lost";
    EXPECT_FALSE(east(Health::down, 10).returned);
    EXPECT_TRUE(east(Health::up, 20).returned);
    EXPECT_EQ(returns_.next_change(), seconds(80));
    EXPECT_FALSE(east(Health::down, 50).returned);
    EXPECT_TRUE(east(Health::up, 60).returned) << "the delay begins anew";
    EXPECT_TRUE(east(Health::up, 119).returned);
    EXPECT_FALSE(east(Health::up, 120).returned);
    EXPECT_TRUE(returns_.entries().empty());
}

TEST_F(Returns, ManualWaitsForAnOperator) {
    filter().fail_back = FailBack::manual;
    east(Health::down, 0);
    EXPECT_FALSE(returns_.release("s", "east")) << "it is not back";
    EXPECT_TRUE(east(Health::up, 10).returned);
    EXPECT_TRUE(east(Health::up, 1'000'000).returned);
    EXPECT_TRUE(returns_.release("s", "east"));
    EXPECT_FALSE(east(Health::up, 1'000'001).returned);
    east(Health::down, 0);
    EXPECT_TRUE(east(Health::up, 10).returned);
    EXPECT_FALSE(east(Health::up, 20, Forced::up).returned);
    EXPECT_FALSE(east(Health::up, 30).returned) << "forcing it up has ended the wait for good";
}

TEST_F(Returns, AutomaticRemembersNothing) {
    filter().fail_back = FailBack::automatic;
    east(Health::down, 0);
    EXPECT_FALSE(east(Health::up, 10).returned);
    EXPECT_TRUE(returns_.entries().empty());
}

TEST(DelayTable, OrdersSitesByDelayAndIgnoresJitter) {
    DelayTable table;
    const auto net = *parse_prefix("10.1.0.0/16");
    table.report(net, 0, 40, seconds(1));
    EXPECT_FALSE(table.settle(seconds(1))) << "one site alone is no order";
    table.report(net, 1, 20, seconds(1));
    EXPECT_TRUE(table.settle(seconds(2)));
    ASSERT_EQ(table.layer().items.size(), 1u);
    EXPECT_EQ(table.layer().lists[0], (SiteOrder{1, 0}));
    for (int i = 2; i < 40; ++i) table.report(net, 0, 19, seconds(i));
    EXPECT_FALSE(table.settle(seconds(40))) << "1 ms is jitter";
    for (int i = 40; i < 80; ++i) table.report(net, 0, 5, seconds(i));
    EXPECT_TRUE(table.settle(seconds(80)));
    EXPECT_EQ(table.layer().lists[0], (SiteOrder{0, 1}));
    EXPECT_TRUE(table.settle(seconds(80 + 3601))) << "old values are forgotten";
    EXPECT_TRUE(table.layer().empty());
    EXPECT_EQ(table.size(), 0u);
}

TEST(PrefixLayers, AStrongerLayerHidesLongerPrefixesOfAWeakerOne) {
    const PrefixEntry geo[] = {
        {*parse_prefix("10.0.0.0/8"), {1}},
        {*parse_prefix("10.1.2.0/24"), {2}},
        {*parse_prefix("192.0.2.0/24"), {2}}
    };
    const PrefixEntry networks[] = {{*parse_prefix("10.1.0.0/16"), {0}}};
    const PrefixEntry resolvers[] = {{*parse_prefix("198.51.100.7"), {2}}};
    PrefixLayers layers;
    layers.geo = layer_of(geo);
    layers.networks = layer_of(networks);
    layers.resolvers = layer_of(resolvers);
    const SiteOrder order{0, 1, 2};
    const PrefixMap map(layers, {&order, 1});
    const auto sites = [&](const char* client) {
        return map.classes()[map.find(*parse_ip(client)).class_id];
    };
    EXPECT_EQ(sites("10.2.0.1"), (SiteOrder{1}));
    EXPECT_EQ(sites("10.1.2.3"), SiteOrder{}) << "the default order, and not that of the database";
    EXPECT_EQ(map.find(*parse_ip("10.1.2.3")).depth, 16);
    EXPECT_EQ(sites("192.0.2.1"), (SiteOrder{2}));
    EXPECT_EQ(sites("198.51.100.7"), SiteOrder{});
    const auto source = map.find_source(*parse_ip("198.51.100.7"));
    EXPECT_EQ(map.classes()[source.class_id], (SiteOrder{2}));
    const auto other = map.find_source(*parse_ip("10.2.0.1"));
    EXPECT_EQ(map.classes()[other.class_id], (SiteOrder{1}));
}

TEST(SvcbHints, ReplaceWhatIsThereAndKeepTheOrderOfKeys) {
    const std::vector<base::text::IpAddress> addresses{*parse_ip("192.0.2.1")};
    // 1 . port=443 ipv4hint=10.0.0.1 and key 9
    const std::vector<std::uint8_t> rdata{0, 1, 0,  0, 3, 0, 2, 1, 187, 0, 4,
                                          0, 4, 10, 0, 0, 1, 0, 9, 0,   0};
    EXPECT_EQ(with_hints(rdata, addresses), (std::vector<std::uint8_t>{0, 1,   0, 0, 3, 0, 2,
                                                                       1, 187, 0, 4, 0, 4, 192,
                                                                       0, 2,   1, 0, 9, 0, 0}));
    EXPECT_EQ(
        with_hints(rdata, {}), (std::vector<std::uint8_t>{0, 1, 0, 0, 3, 0, 2, 1, 187, 0, 9, 0, 0})
    );
    const std::vector<std::uint8_t> alias{0, 0, 1, 'x', 0};
    EXPECT_EQ(with_hints(alias, addresses), alias);
    for (std::size_t cut = 0; cut < rdata.size(); ++cut) {
        const std::vector<std::uint8_t> part(
            rdata.begin(), rdata.begin() + static_cast<std::ptrdiff_t>(cut)
        );
        with_hints(part, addresses);  // must come back
    }
}

}  // namespace
}  // namespace twinsite::gslb::steering
