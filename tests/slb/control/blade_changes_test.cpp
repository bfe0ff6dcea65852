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
    changes.drain("b1");
    changes.remove("b2", kConfigured);
    const auto blades = changes.apply(kConfigured);
    EXPECT_EQ(names(blades), (std::vector<std::string>{"b1", "b3"}));
    EXPECT_TRUE(blades[0].draining);
    EXPECT_FALSE(blades[1].draining);
    changes.activate("b1", {});
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
    changes.drain("b1");
    changes.tidy({});
    EXPECT_EQ(changes, BladeChanges());
}

BladeControl wants(const char* blade, const char* state) {
    wire::contract::Desired desired;
    desired.objects = {{std::string("blade:") + blade, state, "", ""}};
    return std::get<BladeControl>(BladeControl::read(std::move(desired)));
}

TEST(BladeChanges, ControlDrainsWhereNoOperatorSpeaks) {
    const auto b1 = wants("b1", "drain");
    EXPECT_TRUE(BladeChanges().apply(kConfigured, b1)[0].draining);
    EXPECT_FALSE(BladeChanges().apply(kConfigured, b1)[1].draining);
    BladeChanges changes;
    changes.drain("b2");
    EXPECT_TRUE(changes.apply(kConfigured, wants("b2", "active"))[1].draining);
}

TEST(BladeChanges, ActivateOverrulesControlForAsLongAsItLasts) {
    const auto drain = wants("b1", "drain");
    BladeChanges changes;
    changes.activate("b1", drain);
    EXPECT_FALSE(changes.apply(kConfigured, drain)[0].draining);
    EXPECT_STREQ(changes.word("b1"), "active");
    EXPECT_EQ(BladeChanges::from_json(changes.to_json()), changes);
    EXPECT_FALSE(changes.forget_overruled(drain));
    EXPECT_TRUE(changes.forget_overruled({}));
    EXPECT_TRUE(changes.apply(kConfigured, drain)[0].draining) << "a later drain counts again";
}

TEST(BladeChanges, ActivateWithoutControlLeavesNoWord) {
    BladeChanges changes;
    changes.drain("b1");
    changes.activate("b1", {});
    EXPECT_EQ(changes, BladeChanges());
}

TEST(BladeChanges, ReadsFilesFromBeforeControl) {
    EXPECT_TRUE(BladeChanges::from_json(R"({"format":1,"added":[],"removed":[],"draining":["b1"]})")
    );
}

TEST(BladeChanges, SurviveTheirOwnJson) {
    BladeChanges changes;
    changes.add("b3", at("[::1]:3868"));
    changes.drain("b3");
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
