// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/layout.hpp"

#include <set>

#include <gtest/gtest.h>

namespace twinsite::cli::demo {
namespace {

TEST(Layout, EveryPartHasAnAddressOfItsOwn) {
    const Layout layout("/tmp/x", "127.50");
    std::set<std::string> addresses;
    std::set<std::string> names;
    for (const auto& part : layout.parts()) {
        EXPECT_TRUE(part.address.starts_with("127.50.")) << part.address;
        addresses.insert(part.address);
        names.insert(part.name);
    }
    EXPECT_EQ(addresses.size(), 16U);
    EXPECT_EQ(names.size(), 16U);
}

TEST(Layout, AddressesAreThoseOfTheDocumentation) {
    const Layout layout("/tmp/x", "127.0");
    EXPECT_EQ(layout.gslb_address("east"), "127.0.1.10");
    EXPECT_EQ(layout.slb_address("west"), "127.0.2.20");
    EXPECT_EQ(layout.blade_address("east", 2), "127.0.1.32");
    EXPECT_EQ(layout.monitor_address("arbiter"), "127.0.3.40");
    EXPECT_EQ(layout.switchover_address(), "127.0.3.30");
    EXPECT_EQ(client_address("east"), "127.10.1.1");
    EXPECT_EQ(client_address("west"), "127.10.2.1");
}

TEST(Layout, IdentitiesNamePlaceRoleAndMachine) {
    std::set<std::string> identities;
    for (const auto& part : Layout("/tmp/x", "127.0").parts()) identities.insert(identity_of(part));
    EXPECT_EQ(identities.size(), 16U);
    for (const auto* want :
         {"twinsite://east/agent/if1",
          "twinsite://west/agent/proc1",
          "twinsite://arbiter/switchover/sw-arbiter",
          "twinsite://arbiter/monitor/mon-arbiter",
          "twinsite://east/gslb/gslb-east",
          "twinsite://west/slb/slb-west"})
        EXPECT_TRUE(identities.contains(want)) << want;
}

TEST(Layout, ANetIsTwoOctetsOfTheLoopbackRange) {
    EXPECT_TRUE(Layout::is_net("127.0"));
    EXPECT_TRUE(Layout::is_net("127.255"));
    for (const auto* bad : {"", "127", "127.", "127.256", "127.0.1", "10.0", "127.01", "127.-1"})
        EXPECT_FALSE(Layout::is_net(bad)) << bad;
}

std::size_t covered(const std::vector<std::string>& words) {
    const auto selection = parse_selection(words);
    if (!selection) return 99;
    std::size_t out = 0;
    for (const auto& part : Layout("/tmp/x", "127.0").parts())
        if (selection->covers(part)) ++out;
    return out;
}

TEST(Selection, CoversWhatItsWordsSay) {
    EXPECT_EQ(covered({}), 16U);
    EXPECT_EQ(covered({"site", "east"}), 7U);
    EXPECT_EQ(covered({"agent", "if1", "east"}), 1U);
    EXPECT_EQ(covered({"monitor", "arbiter"}), 1U);
    EXPECT_EQ(covered({"switchover"}), 1U);
    EXPECT_EQ(covered({"slb", "west"}), 1U);
    EXPECT_EQ(covered({"gslb", "west"}), 1U);
    EXPECT_EQ(covered({"blade", "east", "1"}), 1U);
}

TEST(Selection, RefusesWordsThatNameNothing) {
    const std::vector<std::vector<std::string>> bad = {
        {"site"},
        {"site", "north"},
        {"blade", "east"},
        {"blade", "east", "3"},
        {"blade", "east", "0"},
        {"blade", "east", "x"},
        {"slb", "east", "1"},
        {"rack", "east"},
        {"site", "arbiter"},
        {"agent", "if1"},
        {"agent", "if2", "east"},
        {"switchover", "east"},
    };
    for (const auto& words : bad) EXPECT_FALSE(parse_selection(words)) << words.front();
}

}  // namespace
}  // namespace twinsite::cli::demo
