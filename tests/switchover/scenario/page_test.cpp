// SPDX-License-Identifier: Apache-2.0
// The page of the language lists what the registry knows.
#include <gtest/gtest.h>

#include "base/file/state_file.hpp"
#include "switchover/scenario/registry.hpp"

namespace twinsite::switchover::scenario {
namespace {

std::string page() {
    const auto text =
        base::file::read_state_file(std::string(SOURCE_ROOT) + "/docs/operator/scenarios.md");
    return text && *text ? **text : "";
}

TEST(ScenarioPage, ListsEveryActionWithItsParameters) {
    const auto text = page();
    for (const auto& action : actions()) {
        const auto row = text.find("| `" + action.name + "` |");
        ASSERT_NE(row, std::string::npos) << action.name;
        const auto line = text.substr(row, text.find('\n', row) - row);
        for (const auto& parameter : action.parameters)
            EXPECT_NE(line.find("`" + parameter.name + "`"), std::string::npos)
                << action.name << " " << parameter.name;
    }
}

TEST(ScenarioPage, ListsEveryFact) {
    const auto text = page();
    for (const auto& fact : facts())
        EXPECT_NE(text.find("`" + fact.name + "("), std::string::npos) << fact.name;
}

}  // namespace
}  // namespace twinsite::switchover::scenario
