// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/rules.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/config/cursor.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;
using base::config::Document;

TEST(Rules, DefaultsAreThoseOfTheDesign) {
    const auto document = Document::parse("{}", "r.yaml");
    auto root = document.root();
    const auto rules = parse_rules(root);
    EXPECT_TRUE(document.findings().empty());
    EXPECT_EQ(rules.stale_intervals, 3U);
    EXPECT_EQ(rules.site_down_for, 60s);
    EXPECT_EQ(rules.first_report, 30s);
    EXPECT_EQ(rules.business_hold, 3s);
}

TEST(Rules, ReadsWhatIsGiven) {
    const auto document = Document::parse(
        "{tick: 250ms, site_down_for: 3s, recover_for: 2s, business_floor: 0.9}", "r.yaml"
    );
    auto root = document.root();
    const auto rules = parse_rules(root);
    EXPECT_TRUE(document.findings().empty());
    EXPECT_EQ(rules.tick, 250ms);
    EXPECT_EQ(rules.site_down_for, 3s);
    EXPECT_EQ(rules.recover_for, 2s);
    EXPECT_EQ(rules.business_floor, 0.9);
}

TEST(Rules, RefusesWhatMakesNoSense) {
    const auto document = Document::parse(
        "{stale_intervals: 1, site_down_for: 10ms, disk_full_percent: 100, fast: true}", "r.yaml"
    );
    auto root = document.root();
    const auto rules = parse_rules(root);
    EXPECT_EQ(document.findings().size(), 4U);
    EXPECT_EQ(rules.stale_intervals, 3U);
    EXPECT_EQ(rules.site_down_for, 60s);
}

}  // namespace
}  // namespace twinsite::switchover::judge
