// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/expression.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::scenario {
namespace {

Expression read(const std::string& text) {
    std::string why;
    const auto out = parse_expression(text, why);
    EXPECT_TRUE(out.has_value()) << text << ": " << why;
    return out.value_or(Expression{});
}

TEST(Expression, NameArgumentsAndComparison) {
    const auto read_one = read(" dns.answer( ocs.example.net ,east )==west ");
    EXPECT_EQ(read_one.name, "dns.answer");
    EXPECT_EQ(read_one.arguments, (std::vector<std::string>{"ocs.example.net", "east"}));
    EXPECT_EQ(read_one.comparator, Comparator::equal);
    EXPECT_EQ(read_one.value, "west");
    EXPECT_EQ(read_one.fact(), "dns.answer(ocs.example.net,east)");
    EXPECT_EQ(read_one.text, "dns.answer(ocs.example.net, east) == west");
    EXPECT_EQ(read("judge.blind()").comparator, Comparator::is_true);
    EXPECT_EQ(read("slb.clients(west) <= 10").comparator, Comparator::at_most);
    EXPECT_EQ(read("slb.clients(west) < 10").comparator, Comparator::less);
}

TEST(Expression, NormalFormReadsAsItself) {
    for (const auto* text :
         {"site.down(east)", "slb.clients(west) >= 10", "site.state(east) != failed"}) {
        const auto once = read(text);
        EXPECT_EQ(once.text, text);
        EXPECT_EQ(read(once.text), once);
    }
}

TEST(Expression, WhatIsWrongIsSaid) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "must have the form"},
        {"site.down", "must have the form"},
        {"site.down(east", "needs quotes"},
        {"site.down(east) is", "only a comparison"},
        {"site.down(east) ==", "must stand behind '=='"},
        {"site.down(east) == a b", "must stand behind '=='"},
        {"site.down(ea st)", "between '(' and ')'"},
        {"site.down(,)", "between '(' and ')'"},
        {"f(a,b,c,d,e)", "between '(' and ')'"},
        {std::string(600, 'a'), "longer than"},
    };
    for (const auto& [text, words] : cases) {
        std::string why;
        EXPECT_FALSE(parse_expression(text, why)) << text;
        EXPECT_NE(why.find(words), std::string::npos) << text << ": " << why;
    }
}

TEST(Expression, ValuesAreComparedAsWordsOrNumbers) {
    EXPECT_TRUE(satisfied(read("site.down(east)"), "yes"));
    EXPECT_TRUE(satisfied(read("site.down(east)"), "true"));
    EXPECT_FALSE(satisfied(read("site.down(east)"), "unknown"));
    EXPECT_FALSE(satisfied(read("site.down(east)"), ""));
    EXPECT_TRUE(satisfied(read("site.state(east) == failed"), "FAILED"));
    EXPECT_TRUE(satisfied(read("site.state(east) != ok"), "FAILED"));
    EXPECT_FALSE(satisfied(read("site.state(east) != failed"), "FAILED"));
    EXPECT_TRUE(satisfied(read("slb.clients(west) <= 10"), "10"));
    EXPECT_FALSE(satisfied(read("slb.clients(west) < 10"), "10"));
    EXPECT_TRUE(satisfied(read("slb.clients(west) > 9"), "10"));
    EXPECT_TRUE(satisfied(read("slb.clients(west) >= 10"), "10.0"));
    EXPECT_TRUE(satisfied(read("slb.clients(west) == 10"), "10.0"));
    EXPECT_FALSE(satisfied(read("slb.clients(west) <= 10"), "unknown"));
    EXPECT_FALSE(satisfied(read("slb.clients(west) > 1"), ""));
}

}  // namespace
}  // namespace twinsite::switchover::scenario
