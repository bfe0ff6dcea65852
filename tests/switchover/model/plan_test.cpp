// SPDX-License-Identifier: Apache-2.0
#include "switchover/model/plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/config/cursor.hpp"

namespace twinsite::switchover::model {
namespace {

using base::config::Document;

constexpr const char* kGood = R"(
node: sw-arbiter
site: arbiter
sites:
  - {name: east, title: {en: East, zh: 东}}
  - {name: west, title: West}
agents:
  - {site: east, name: if1, kind: interface}
  - {site: west, name: proc1, kind: processing}
monitors: [{site: east, name: mon-east}, {site: arbiter, name: mon-arbiter}]
gslbs: [{name: gslb-east, site: east, control: 127.0.1.10:8440}]
slbs: [{name: slb-east, site: east, control: 127.0.1.20:8440}]
services: [{name: ocs, title: {en: Charging}}]
)";

std::string findings(const std::string& text) {
    const auto document = Document::parse(text, "p.yaml");
    auto root = document.root();
    parse_plan(root);
    root.finish();
    std::string out;
    for (const auto& finding : document.findings()) out += to_string(finding) + "\n";
    return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST(Plan, ReadsSitesMachinesAndMembers) {
    const auto document = Document::parse(kGood, "p.yaml");
    auto root = document.root();
    const auto plan = parse_plan(root);
    root.finish();
    EXPECT_TRUE(document.findings().empty()) << findings(kGood);
    EXPECT_EQ(plan.node, "sw-arbiter");
    EXPECT_EQ(plan.site, "arbiter");
    ASSERT_EQ(plan.sites.size(), 2U);
    EXPECT_EQ(plan.sites[0].title.zh, "东");
    EXPECT_EQ(plan.sites[1].title.zh, "West");
    EXPECT_EQ(plan.find_site("west"), 1U);
    EXPECT_FALSE(plan.find_site("arbiter"));
    ASSERT_NE(plan.find_agent("west/proc1"), nullptr);
    EXPECT_EQ(plan.find_agent("west/proc1")->kind, "processing");
    EXPECT_EQ(plan.find_agent("east/proc1"), nullptr);
    ASSERT_NE(plan.find_monitor("arbiter/mon-arbiter"), nullptr);
    ASSERT_EQ(plan.gslbs.size(), 1U);
    EXPECT_EQ(to_string(plan.gslbs[0].control), "127.0.1.10:8440");
    ASSERT_NE(plan.find_service("ocs"), nullptr);
    EXPECT_EQ(plan.find_service("ocs")->title.zh, "Charging");
}

TEST(Plan, NamesWhatIsWrongWithItsPlace) {
    EXPECT_NE(
        findings(replaced(kGood, "name: if1", "name: If_1")).find("$.agents[0].name"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "{site: east, name: if1", "{site: est, name: if1"))
            .find("did you mean 'east'"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "name: gslb-east, site: east", "name: gslb-east, site: arbiter"))
            .find("$.gslbs[0]"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "kind: interface", "kind: interfaces")).find("interface"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "name: east, title", "capacity: 5, name: east, title"))
            .find("capacity"),
        std::string::npos
    );
    EXPECT_NE(findings("node: a\nsite: b\n").find("key 'sites' is missing"), std::string::npos);
    EXPECT_NE(findings("node: a\nsite: b\nsites: []\n").find("at least one"), std::string::npos);
}

TEST(Plan, RefusesTheSameNameTwice) {
    EXPECT_NE(
        findings(replaced(kGood, "name: slb-east", "name: gslb-east")).find("another gslb"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "name: mon-arbiter", "name: sw-arbiter")).find("this server"),
        std::string::npos
    );
    EXPECT_NE(
        findings(replaced(kGood, "name: west", "name: east")).find("twice"), std::string::npos
    );
    EXPECT_NE(
        findings(replaced(
                     kGood,
                     "{site: west, name: proc1, kind: processing}",
                     "{site: east, name: if1, kind: other}"
                 ))
            .find("'east/if1' stands here twice"),
        std::string::npos
    );
}

TEST(Plan, WordsAreShortAndPlain) {
    EXPECT_TRUE(is_word("sw-arbiter-1"));
    EXPECT_TRUE(is_word(std::string(63, 'a')));
    EXPECT_FALSE(is_word(std::string(64, 'a')));
    EXPECT_FALSE(is_word(""));
    EXPECT_FALSE(is_word("East"));
    EXPECT_FALSE(is_word("a/b"));
    EXPECT_FALSE(is_word("a\n"));
}

}  // namespace
}  // namespace twinsite::switchover::model
