// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/simulate.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "gslb/control/intent_api.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

std::vector<ClassAnswer> of_ocs(const Helm& helm, const Supposition& what) {
    const auto states = suppose(*helm.setup().steering, helm.states(), what);
    return answer_classes(
        *helm.setup().steering,
        *helm.setup().prefixes,
        std::get<answer::ServiceStates>(states),
        steering::no_facts(),
        helm.setup().steering->policies.at(0).owner
    );
}

/// Clients near the first site are one class with those whom no prefix names.
const std::string kDefaultSite = "east";

const ClassAnswer* answer_for(const std::vector<ClassAnswer>& list, const std::string& site) {
    for (const auto& answer : list)
        for (const auto& sites : answer.classes)
            if (answer.type == "A" && (sites.empty() ? kDefaultSite : sites[0]) == site)
                return &answer;
    return nullptr;
}

TEST(Simulate, EveryClassIsAnsweredAsTheServerWould) {
    HelmUnderTest test;
    const auto answers = of_ocs(test.helm, {});
    const auto* east = answer_for(answers, "east");
    const auto* west = answer_for(answers, "west");
    ASSERT_TRUE(east != nullptr && west != nullptr);
    EXPECT_EQ(east->targets, std::vector<std::string>{"ocs-east"});
    EXPECT_EQ(east->records, std::vector<std::string>{"127.0.1.20"});
    EXPECT_EQ(west->records, std::vector<std::string>{"127.0.2.20"});
}

TEST(Simulate, ASiteTakenToBeDownMovesItsClientsAndNobodyElse) {
    HelmUnderTest test;
    const auto answers = of_ocs(test.helm, {{"east"}, {}, {}});
    const auto* east = answer_for(answers, "east");
    ASSERT_TRUE(east != nullptr);
    EXPECT_EQ(east->records, std::vector<std::string>{"127.0.2.20"});
    EXPECT_EQ(answer_for(answers, "west"), east) << "one answer for both classes";
    const auto changes = compare_answers(of_ocs(test.helm, {}), answers);
    EXPECT_TRUE(std::any_of(changes.begin(), changes.end(), [](const AnswerChange& change) {
        return change.before.find("ocs-east") == 0 && change.after.find("ocs-west") == 0;
    }));
    // Nothing of it is real.
    EXPECT_EQ(test.published.size(), 1U);
    EXPECT_EQ(test.helm.states()[0][0].health, steering::Health::up);
}

TEST(Simulate, AServiceOrOneTargetCanBeSupposedToo) {
    HelmUnderTest test;
    EXPECT_EQ(
        answer_for(of_ocs(test.helm, {{"ocs/ocs-west"}, {}, {}}), "west")->records,
        std::vector<std::string>{"127.0.1.20"}
    );
    test.set_health("ocs-west", health::State::down);
    test.helm.refresh();
    EXPECT_EQ(
        answer_for(of_ocs(test.helm, {{}, {"ocs"}, {}}), "west")->records,
        std::vector<std::string>{"127.0.2.20"}
    );
    EXPECT_EQ(
        answer_for(of_ocs(test.helm, {{}, {"west"}, {"west"}}), "west")->records,
        std::vector<std::string>{"127.0.1.20"}
    );
}

TEST(Simulate, AnUnknownObjectIsNamed) {
    HelmUnderTest test;
    const auto states =
        suppose(*test.helm.setup().steering, test.helm.states(), {{"eats"}, {}, {}});
    ASSERT_TRUE(std::holds_alternative<std::string>(states));
    EXPECT_EQ(std::get<std::string>(states), "eats");
}

TEST(CompareFiles, TellsWhatIsBetweenTheCommonBeginningAndEnd) {
    const auto changes = compare_files(
        {{"gone", "x"}, {"intent.yaml", "a\nb\nc\nd\n"}, {"same", "s"}},
        {{"intent.yaml", "a\nB\nc\nd\n"}, {"new", "y\n"}, {"same", "s"}}
    );
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].path + " " + changes[0].what, "gone removed");
    EXPECT_EQ(changes[1].lines, (std::vector<std::string>{"-b", "+B"}));
    EXPECT_EQ(changes[2].path + " " + changes[2].what, "new added");
    EXPECT_EQ(changes[2].lines, std::vector<std::string>{"+y"});
}

TEST(CompareFiles, ALongChangeIsCut) {
    std::string old;
    std::string fresh;
    for (int i = 0; i < 300; ++i) {
        old += "o" + std::to_string(i) + "\n";
        fresh += "f" + std::to_string(i) + "\n";
    }
    const auto changes = compare_files({{"z", old}}, {{"z", fresh}});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].lines.size() + changes[0].left_out, 600U);
    EXPECT_EQ(changes[0].lines.size(), 200U);
}

}  // namespace
}  // namespace twinsite::gslb::control
