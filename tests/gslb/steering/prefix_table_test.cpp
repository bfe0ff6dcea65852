// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/prefix_table.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::steering {
namespace {

const std::vector<std::string> kSites{"east", "west", "north"};

std::vector<std::string> findings(std::string_view text) {
    std::vector<std::string> out;
    for (const auto& finding : parse_prefix_table(text, kSites).findings)
        out.push_back(std::to_string(finding.line) + ": " + finding.text);
    return out;
}
using Texts = std::vector<std::string>;

TEST(PrefixTable, ReadsPrefixesSitesAndComments) {
    const auto table = parse_prefix_table(
        "# clients\n"
        "10.1.0.0/16 east   # the plant\r\n"
        "\n"
        "\t2001:db8::/32\twest,east\n"
        "192.0.2.7 north, west",
        kSites
    );
    EXPECT_TRUE(table.findings.empty());
    ASSERT_EQ(table.entries.size(), 3u);
    EXPECT_EQ(to_string(table.entries[0].prefix), "10.1.0.0/16");
    EXPECT_EQ(table.entries[0].sites, (SiteOrder{0}));
    EXPECT_EQ(to_string(table.entries[1].prefix), "2001:db8::/32");
    EXPECT_EQ(table.entries[1].sites, (SiteOrder{1, 0}));
    EXPECT_EQ(to_string(table.entries[2].prefix), "192.0.2.7/32");
    EXPECT_EQ(table.entries[2].sites, (SiteOrder{2, 1}));
}

TEST(PrefixTable, ReportsEveryBadLineWithItsNumber) {
    EXPECT_EQ(
        findings("10.1.0.1/16 east\n"
                 "10.1.0.0/33 east\n"
                 "10.1.0.0/16\n"
                 "10.1.0.0/16 eats\n"
                 "10.2.0.0/16 east west\n"
                 "10.2.0.0/16 east,,west\n"
                 "10.2.0.0/16 east,east\n"
                 "10.2.0.0/16 east\n"
                 "10.2.0.0/16 west\n"),
        (Texts{
            "1: '10.1.0.1/16' is not a network (address/length, no bits set beyond it)",
            "2: '10.1.0.0/33' is not a network (address/length, no bits set beyond it)",
            "3: no site after 10.1.0.0/16",
            "4: unknown site 'eats'; did you mean 'east'?",
            "5: sites are separated by commas, not blanks",
            "6: an empty site name",
            "7: site 'east' is listed twice",
            "9: 10.2.0.0/16 stands in line 8 already",
        })
    );
}

TEST(PrefixTable, ABadLineLeavesNoEntry) {
    const auto table = parse_prefix_table("10.1.0.0/16 nowhere\n10.2.0.0/16 west\n", kSites);
    ASSERT_EQ(table.entries.size(), 1u);
    EXPECT_EQ(to_string(table.entries[0].prefix), "10.2.0.0/16");
}

TEST(PrefixTable, StopsListingAfterFiftyFindings) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "nonsense\n";
    EXPECT_EQ(findings(text).size(), kMaxTableFindings);
}

TEST(PrefixTable, ShowsBytesThatAreNotText) {
    EXPECT_EQ(
        findings(std::string_view("\x01\0\xff east\n", 9)),
        (Texts{"1: '\\x01\\x00\\xff' is not a network (address/length, no bits set beyond it)"})
    );
}

}  // namespace
}  // namespace twinsite::gslb::steering
