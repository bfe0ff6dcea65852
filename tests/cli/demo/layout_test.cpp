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
    EXPECT_EQ(addresses.size(), 8U);
    EXPECT_EQ(names.size(), 8U);
}

TEST(Layout, AddressesAreThoseOfTheDocumentation) {
    const Layout layout("/tmp/x", "127.0");
    EXPECT_EQ(layout.gslb_address("east"), "127.0.1.10");
    EXPECT_EQ(layout.slb_address("west"), "127.0.2.20");
    EXPECT_EQ(layout.blade_address("east", 2), "127.0.1.32");
    EXPECT_EQ(client_address("east"), "127.10.1.1");
    EXPECT_EQ(client_address("west"), "127.10.2.1");
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
    EXPECT_EQ(covered({}), 8U);
    EXPECT_EQ(covered({"site", "east"}), 4U);
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
    };
    for (const auto& words : bad) EXPECT_FALSE(parse_selection(words)) << words.front();
}

}  // namespace
}  // namespace twinsite::cli::demo
