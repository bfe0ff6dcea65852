// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/directives.hpp"

#include <gtest/gtest.h>

#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

using steering::Forced;
using wire::contract::DesiredObject;

Directives make(std::vector<DesiredObject> objects) {
    wire::contract::Desired desired;
    desired.objects = std::move(objects);
    return std::get<Directives>(Directives::read(std::move(desired)));
}

std::string wrong(const char* object, const char* state) {
    wire::contract::Desired desired;
    desired.objects = {{object, state, "", ""}};
    const auto read = Directives::read(std::move(desired));
    const auto* text = std::get_if<std::string>(&read);
    return text == nullptr ? "" : *text;
}

TEST(Directives, ReadsTheThreeKindsOfObjects) {
    const auto read = make(
        {{"site:east", "out", "", ""},
         {"service:ocs@west", "drain", "", ""},
         {"target:ocs/ocs-north", "in", "", ""}}
    );
    EXPECT_EQ(read.state("ocs", "ocs-east", "east"), Forced::down);
    EXPECT_EQ(read.state("other", "x", "east"), Forced::down);
    EXPECT_EQ(read.state("ocs", "ocs-west", "west"), Forced::drain);
    EXPECT_EQ(read.state("other", "x", "west"), Forced::none);
    EXPECT_EQ(read.find("other", "x", "west"), nullptr);
    EXPECT_EQ(read.find("ocs", "ocs-north", "north")->object.object, "target:ocs/ocs-north");
}

TEST(Directives, OutCountsBeforeDrainAndDrainBeforeIn) {
    const auto read = make(
        {{"site:east", "out", "lost", ""},
         {"service:ocs@east", "drain", "", ""},
         {"target:ocs/ocs-east", "in", "", ""},
         {"site:west", "in", "", ""},
         {"target:ocs/ocs-west", "drain", "", ""}}
    );
    EXPECT_EQ(read.find("ocs", "ocs-east", "east")->object.reason, "lost");
    EXPECT_EQ(read.state("ocs", "ocs-west", "west"), Forced::drain);
}

TEST(Directives, RefusesOtherKindsFormsAndStates) {
    for (const char* object :
         {"blade:b1", "site:", "east", "service:ocs", "service:@east", "target:ocs", "target:/x"})
        EXPECT_NE(wrong(object, "out"), "") << object;
    EXPECT_EQ(wrong("site:east", "up"), "object 'site:east': the state must be in, out or drain");
    EXPECT_EQ(wrong("site:east", "out"), "");
}

TEST(Directives, NamesWhatTheConfigurationDoesNotHave) {
    const auto read = make(
        {{"site:east", "in", "", ""},
         {"site:south", "out", "", ""},
         {"service:ocs@west", "in", "", ""},
         {"service:smsc@west", "in", "", ""},
         {"target:ocs/ocs-east", "in", "", ""},
         {"target:ocs/ocs-9", "in", "", ""}}
    );
    const std::vector<std::string> expected{"site:south", "service:smsc@west", "target:ocs/ocs-9"};
    EXPECT_EQ(read.find_unknown(*two_sites().steering), expected);
}

TEST(Directives, OverridesCountWhenTheLastSiteIsLookedFor) {
    const auto steering = two_sites().steering;
    const auto east_out = make({{"site:east", "out", "", ""}});
    EXPECT_FALSE(check_leaves_a_site({}, east_out, {}, *steering));
    Overrides west_down;
    west_down.set({{"ocs", "site:west"}, Forced::down, "work", "ann", kNoon.wall, {}});
    EXPECT_TRUE(check_leaves_a_site({}, east_out, west_down, *steering));
    Overrides east_up = west_down;
    east_up.set({{"ocs", "ocs-east"}, Forced::up, "work", "ann", kNoon.wall, {}});
    EXPECT_FALSE(check_leaves_a_site({}, east_out, east_up, *steering));
    // Nothing is taken from a service that has nothing: the operator did that.
    Overrides all_down = west_down;
    all_down.set({{"ocs", "site:east"}, Forced::down, "work", "ann", kNoon.wall, {}});
    EXPECT_FALSE(check_leaves_a_site({}, east_out, all_down, *steering));
}

}  // namespace
}  // namespace twinsite::gslb::control
