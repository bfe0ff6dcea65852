// SPDX-License-Identifier: Apache-2.0
#include "slb/control/blade_changes.hpp"

#include <gtest/gtest.h>

namespace twinsite::slb::control {
namespace {

base::net::Endpoint at(const char* text) {
    return *base::net::parse_endpoint(text);
}

const BladeChanges::Blades kConfigured = {
    {"b1", at("127.0.1.31:3868"), false},
    {"b2", at("127.0.1.32:3868"), false},
};

std::vector<std::string> names(const BladeChanges::Blades& blades) {
    std::vector<std::string> out;
    for (const auto& blade : blades) out.push_back(blade.name);
    return out;
}

TEST(BladeChanges, NoneLeaveTheConfigurationAsItIs) {
    EXPECT_EQ(BladeChanges().apply(kConfigured), kConfigured);
}

TEST(BladeChanges, AddDrainRemove) {
    BladeChanges changes;
    changes.add("b3", at("127.0.1.33:3868"));
    changes.set_draining("b1", true);
    changes.remove("b2", kConfigured);
    const auto blades = changes.apply(kConfigured);
    EXPECT_EQ(names(blades), (std::vector<std::string>{"b1", "b3"}));
    EXPECT_TRUE(blades[0].draining);
    EXPECT_FALSE(blades[1].draining);
    changes.set_draining("b1", false);
    changes.remove("b3", kConfigured);
    EXPECT_EQ(names(changes.apply(kConfigured)), std::vector<std::string>{"b1"});
}

TEST(BladeChanges, ARemovedBladeCanBeAddedAgainElsewhere) {
    BladeChanges changes;
    changes.remove("b2", kConfigured);
    changes.add("b2", at("127.0.1.99:3868"));
    const auto blades = changes.apply(kConfigured);
    ASSERT_EQ(names(blades), (std::vector<std::string>{"b1", "b2"}));
    EXPECT_EQ(blades[1].address, at("127.0.1.99:3868"));
}

TEST(BladeChanges, TidyForgetsWhatTheConfigurationForgot) {
    BladeChanges changes;
    changes.remove("b2", kConfigured);
    changes.set_draining("b1", true);
    changes.tidy({});
    EXPECT_EQ(changes, BladeChanges());
}

TEST(BladeChanges, SurviveTheirOwnJson) {
    BladeChanges changes;
    changes.add("b3", at("[::1]:3868"));
    changes.set_draining("b3", true);
    changes.remove("b1", kConfigured);
    EXPECT_EQ(BladeChanges::from_json(changes.to_json()), changes);
    EXPECT_EQ(BladeChanges::from_json(BladeChanges().to_json()), BladeChanges());
}

TEST(BladeChanges, OtherTextsAreRefused) {
    for (const auto* text :
         {"",
          "{}",
          "[]",
          "null",
          R"({"format":2,"added":[],"removed":[],"draining":[]})",
          R"({"format":1,"added":[{"name":"b"}],"removed":[],"draining":[]})",
          R"({"format":1,"added":[{"name":"b","address":"x"}],"removed":[],"draining":[]})",
          R"({"format":1,"added":[],"removed":[1],"draining":[]})",
          R"({"format":1,"added":[],"removed":[]})"})
        EXPECT_FALSE(BladeChanges::from_json(text)) << text;
}

}  // namespace
}  // namespace twinsite::slb::control
