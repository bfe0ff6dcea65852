// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/policy.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::steering {
namespace {

using enum FilterKind;

std::string error(std::vector<FilterKind> kinds) {
    std::vector<Filter> filters;
    for (const FilterKind kind : kinds) filters.push_back({kind, {}});
    return chain_error(filters).value_or("");
}

TEST(Policy, FilterNamesAreThoseOfTheConfiguration) {
    for (const std::string& name : filter_names())
        EXPECT_EQ(to_string(parse_filter_kind(name).value()), name);
    EXPECT_EQ(filter_names().size(), 5u);
    EXPECT_FALSE(parse_filter_kind("Up"));
    EXPECT_FALSE(parse_filter_kind(""));
}

TEST(Policy, ChainsThatMakeSenseAreAccepted) {
    EXPECT_EQ(error({override_}), "");
    EXPECT_EQ(error({override_, up, nearest, failover}), "");
    EXPECT_EQ(error({override_, up, nearest, failover, weighted}), "");
    EXPECT_EQ(error({override_, up, weighted}), "");
    EXPECT_EQ(error({override_, nearest}), "");
}

TEST(Policy, ChainsThatCannotWorkAreExplained) {
    EXPECT_EQ(
        error({}), "the chain must begin with 'override', so that an operator's word always counts"
    );
    EXPECT_EQ(
        error({up, override_}),
        "the chain must begin with 'override', so that an operator's word always counts"
    );
    EXPECT_EQ(error({override_, up, up}), "'up' stands in the chain twice");
    EXPECT_EQ(error({override_, nearest, up}), "'up' must follow directly after 'override'");
    EXPECT_EQ(
        error({override_, up, weighted, failover}),
        "'weighted' must be last: its draw is made anew for each query"
    );
    EXPECT_EQ(
        error({override_, failover, nearest}),
        "'nearest' must stand before 'failover', which keeps only the first site"
    );
}

TEST(Policy, DefaultOrdersAreThoseThatCanMatter) {
    Steering steering;
    steering.sites = {"a", "b", "c"};
    steering.services = {{"s", {}}};
    EXPECT_EQ(default_orders(steering), (std::vector<SiteOrder>{{0, 1, 2}}));

    Policy plain;
    plain.filters = {{override_, {}}, {nearest, {}}, {failover, {}}};
    Policy own = plain;
    own.filters[1].order = {2};
    Policy fixed = plain;
    fixed.filters = {{override_, {}}, {failover, {1}}};
    steering.policies = {own, plain, fixed, own};
    EXPECT_EQ(default_order(own, steering), (SiteOrder{2, 0, 1}));
    EXPECT_EQ(default_orders(steering), (std::vector<SiteOrder>{{2, 0, 1}, {0, 1, 2}}));
}

TEST(SiteOrder, CompletesWithoutRepetition) {
    EXPECT_EQ(complete(SiteOrder{2, 0}, SiteOrder{0, 1, 2}), (SiteOrder{2, 0, 1}));
    EXPECT_EQ(complete(SiteOrder{}, SiteOrder{1, 0}), (SiteOrder{1, 0}));
    EXPECT_EQ(complete(SiteOrder{1, 1}, SiteOrder{}), (SiteOrder{1}));
}

}  // namespace
}  // namespace twinsite::gslb::steering
