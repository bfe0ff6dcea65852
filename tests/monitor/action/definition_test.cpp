// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/definition.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace twinsite::monitor::action {
namespace {

using Values = std::map<std::string, std::string>;

struct Parsed {
    Actions actions;
    std::string findings;
};
Parsed parse(const std::string& text) {
    const auto document = base::config::Document::parse(text, "a.yaml");
    Parsed out{parse_actions(document.root()), {}};
    for (const auto& finding : document.findings()) out.findings += to_string(finding) + "\n";
    return out;
}
/// The arguments joined by "|", or the code of the refusal.
std::string bound(const Action& action, const Values& values) {
    const auto result = bind(action, values);
    if (const auto* refusal = std::get_if<Refusal>(&result)) return refusal->code;
    std::string out;
    for (const auto& argument : std::get<0>(result)) out += argument + "|";
    return out;
}

const char* const kText = R"(
actions:
  - name: scale
    command: [/bin/scale, "--to={count}", "{unit}", "{unit}/{count}"]
    parameters:
      count: {integer: {min: -1, max: 20}}
      unit: {pattern: "[a-z][a-z0-9-]*"}
    timeout: 2s
    max_parallel: 3
    min_gap: 1m
)";

TEST(Definition, ReadsAnAction) {
    const auto parsed = parse(kText);
    EXPECT_EQ(parsed.findings, "");
    const auto& action = parsed.actions.at("scale");
    EXPECT_EQ(action.timeout, std::chrono::seconds(2));
    EXPECT_EQ(action.max_parallel, 3U);
    EXPECT_EQ(action.min_gap, std::chrono::minutes(1));
}

TEST(Definition, PutsValuesWhereTheirNamesStandAndNowhereElse) {
    const auto action = parse(kText).actions.at("scale");
    EXPECT_EQ(bound(action, {{"count", "7"}, {"unit", "db"}}), "/bin/scale|--to=7|db|db/7|");
    EXPECT_EQ(bound(action, {{"count", "-1"}, {"unit", "a-"}}), "/bin/scale|--to=-1|a-|a-/-1|");
}

TEST(Definition, IntegersAreInRangeAndWrittenTheOneWay) {
    const auto action = parse(kText).actions.at("scale");
    for (const char* count :
         {"21", "-2", "+1", "007", "1.0", "1e1", " 1", "1 ", "", "0x1", "99999999999999999999"})
        EXPECT_EQ(bound(action, {{"count", count}, {"unit", "db"}}), "bad_parameter") << count;
}

TEST(Definition, APatternMatchesTheWholeValue) {
    const auto action = parse(kText).actions.at("scale");
    for (const char* unit : {"db;ls", "db ls", "Db", "", "$(ls)", "-rf", "../x"})
        EXPECT_EQ(bound(action, {{"count", "1"}, {"unit", unit}}), "bad_parameter") << unit;
}

TEST(Definition, AValueThatLooksLikeAnOptionIsRefusedThoughThePatternAllowsIt) {
    const auto parsed =
        parse("actions: [{name: a, command: [/bin/a, \"{x}\"], parameters: {x: {pattern: \".*\"}}}]"
        );
    EXPECT_EQ(bound(parsed.actions.at("a"), {{"x", "-rf"}}), "bad_parameter");
    EXPECT_EQ(bound(parsed.actions.at("a"), {{"x", "{x}"}}), "/bin/a|{x}|") << "not bound twice";
}

TEST(Definition, APatternThatWouldTakeForEverElsewhereTakesNoTimeHere) {
    const auto parsed = parse(
        "actions: [{name: a, command: [/bin/a, \"{x}\"], parameters: {x: {pattern: \"(a+)+b\"}}}]"
    );
    ASSERT_EQ(parsed.findings, "");
    EXPECT_EQ(bound(parsed.actions.at("a"), {{"x", std::string(256, 'a')}}), "bad_parameter");
}

TEST(Definition, TellsWhatIsWrong) {
    const auto wrong = [](const std::string& action) {
        return parse("actions: [" + action + "]").findings;
    };
    EXPECT_NE(wrong("{name: a, command: [ls]}").find("absolute path"), std::string::npos);
    EXPECT_NE(wrong("{name: a, command: []}").find("absolute path"), std::string::npos);
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a, \"{b}\"]}").find("names no parameter"), std::string::npos
    );
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a, \"{b\"]}").find("names no parameter"), std::string::npos
    );
    EXPECT_NE(wrong("{name: \"a b\", command: [/bin/a]}").find("'name'"), std::string::npos);
    EXPECT_NE(
        wrong("{name: a, command: [\"/bin/{b}\"], parameters: {b: {one_of: [x]}}}")
            .find("must not depend"),
        std::string::npos
    );
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a], parameters: {b: {}}}").find("exactly one"),
        std::string::npos
    );
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a], parameters: {b: {pattern: \"(\"}}}")
            .find("regular expression"),
        std::string::npos
    );
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a]}, {name: a, command: [/bin/a]}").find("second action"),
        std::string::npos
    );
    EXPECT_NE(
        wrong("{name: a, command: [/bin/a], shell: yes}").find("unknown key"), std::string::npos
    );
}

}  // namespace
}  // namespace twinsite::monitor::action
