// SPDX-License-Identifier: Apache-2.0
// The language and the judge agree on what can be asked.
#include <gtest/gtest.h>

#include "switchover/judge/judge.hpp"
#include "switchover/scenario/registry.hpp"

namespace twinsite::switchover::scenario {
namespace {

TEST(Facts, EveryConditionOfTheJudgeIsInTheLanguage) {
    for (const auto& form : judge::fact_forms()) {
        const auto* rule = find_fact(std::string(form.name));
        ASSERT_NE(rule, nullptr) << form.name;
        EXPECT_TRUE(rule->judged) << form.name;
        if (form.argument.empty())
            EXPECT_TRUE(rule->arguments.empty()) << form.name;
        else if (form.argument == "process")
            EXPECT_EQ(rule->arguments, (std::vector<Word>{Word::site_or_host, Word::name}));
        else
            EXPECT_EQ(to_string(rule->arguments.at(0)), form.argument) << form.name;
        EXPECT_EQ(rule->value == Truth::words, form.name.ends_with(".state")) << form.name;
    }
}

TEST(Facts, WhatATriggerMayAskTheJudgeKnows) {
    for (const auto& rule : facts()) {
        if (!rule.judged) continue;
        bool known = false;
        for (const auto& form : judge::fact_forms()) known = known || form.name == rule.name;
        EXPECT_TRUE(known) << rule.name;
    }
}

}  // namespace
}  // namespace twinsite::switchover::scenario
