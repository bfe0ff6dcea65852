// SPDX-License-Identifier: Apache-2.0
#include "cli/output/value.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace twinsite::cli::output {
namespace {

using Flat = std::vector<std::pair<std::string, std::string>>;

TEST(Value, WhatIsNotThereIsEmptyText) {
    const auto body = parse_body(R"({"a":{"b":"text","n":null}})");
    EXPECT_EQ(text_at(member(body, "a"), "b"), "text");
    EXPECT_EQ(text_at(member(body, "a"), "n"), "");
    EXPECT_EQ(text_at(member(body, "missing"), "b"), "");
    EXPECT_TRUE(elements(member(body, "a")).empty());
}

TEST(Value, ABodyThatIsNoJsonIsNull) {
    EXPECT_TRUE(parse_body("<html>").is_null());
    EXPECT_TRUE(parse_body("").is_null());
    EXPECT_TRUE(parse_body(R"({"cut":)").is_null());
}

TEST(Value, ScalarsReadLikePeopleWriteThem) {
    const auto body = parse_body(R"({"i":42,"d":0.25,"t":true,"l":["a",1],"s":"x y"})");
    EXPECT_EQ(text_at(body, "i"), "42");
    EXPECT_EQ(text_at(body, "d"), "0.25");
    EXPECT_EQ(text_at(body, "t"), "true");
    EXPECT_EQ(text_at(body, "l"), "a, 1");
    EXPECT_EQ(text_at(body, "s"), "x y");
}

TEST(Value, FlattenNamesListElementsByTheirName) {
    const auto body = parse_body(R"({"udp":{"queries":7},"blades":[{"name":"b1","n":1},{"n":2}]})");
    EXPECT_EQ(
        flatten(body),
        (Flat{
            {"udp.queries", "7"},
            {"blades[b1].name", "b1"},
            {"blades[b1].n", "1"},
            {"blades[1].n", "2"},
        })
    );
}

TEST(Value, DurationsAreSpelledByTheirTwoLargestUnits) {
    EXPECT_EQ(spell_seconds(0), "0s");
    EXPECT_EQ(spell_seconds(59), "59s");
    EXPECT_EQ(spell_seconds(200), "3m 20s");
    EXPECT_EQ(spell_seconds(7'500), "2h 05m");
    EXPECT_EQ(spell_seconds(356'400), "4d 03h");
}

}  // namespace
}  // namespace twinsite::cli::output
