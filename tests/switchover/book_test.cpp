// SPDX-License-Identifier: Apache-2.0
// The folder of scenarios, and what becomes of files that are wrong.
#include "switchover/book.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "switchover/alarms.hpp"
#include "switchover/overview.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/switchover/town.hpp"

namespace twinsite::switchover {
namespace {

using namespace std::chrono_literals;

class BookTest : public ::testing::Test {
protected:
    BookTest() : config_(town_.conductor().config()) {
        config_.scenarios.directory = folder_.path();
        write("east.yaml", Town::kEastDown);
        write("failback.yaml", Town::kFailback);
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.file(name)) << text;
    }
    /// east-down with a step that is not there.
    static std::string broken() {
        std::string text = Town::kEastDown;
        text.replace(text.find("needs: [tell]"), 13, "needs: [told]");
        return text;
    }

    tests::TemporaryFolder folder_;
    Town town_;
    Config config_;
};

TEST_F(BookTest, GoodFilesAreAllThere) {
    const auto loaded = load_book(config_);
    EXPECT_TRUE(loaded.findings.empty()) << loaded.findings[0];
    ASSERT_EQ(loaded.book.size(), 2U);
    EXPECT_TRUE(loaded.book.at("east-down")->broken.empty());
}

TEST_F(BookTest, AFileThatIsWrongIsBrokenUnderItsNameAndTheOthersAreGood) {
    write("east.yaml", broken());
    const auto loaded = load_book(config_);
    EXPECT_TRUE(loaded.readable);
    ASSERT_EQ(loaded.book.size(), 2U);
    const auto& entry = *loaded.book.at("east-down");
    ASSERT_FALSE(entry.broken.empty());
    EXPECT_EQ(entry.broken, loaded.findings);
    EXPECT_EQ(entry.broken[0].find(folder_.file("east.yaml") + ":13:"), 0U) << entry.broken[0];
    EXPECT_NE(entry.broken[0].find("$.steps[1]: unknown step"), std::string::npos)
        << entry.broken[0];
    EXPECT_TRUE(entry.scenario.steps.empty());
    EXPECT_TRUE(loaded.book.at("failback-east")->broken.empty());
}

TEST_F(BookTest, WhatHasNoNameIsCalledByItsFile) {
    write("half.yaml", "schema: [twinsite/1\n");
    write("zz-copy.yaml", Town::kEastDown);
    const auto loaded = load_book(config_);
    EXPECT_GE(loaded.findings.size(), 2U);
    EXPECT_FALSE(loaded.book.at("half")->broken.empty());
    EXPECT_FALSE(loaded.book.at("zz-copy.yaml")->broken.empty()) << "the name is taken";
    EXPECT_TRUE(loaded.book.at("east-down")->broken.empty());
}

TEST_F(BookTest, AFolderThatIsNotThereIsNoMatterOfSingleScenarios) {
    config_.scenarios.directory = folder_.file("absent");
    const auto loaded = load_book(config_);
    EXPECT_FALSE(loaded.readable);
    EXPECT_EQ(loaded.findings.size(), 1U);
}

TEST_F(BookTest, ABrokenScenarioIsHeldWithItsFindingAndNobodyCanStartIt) {
    write("east.yaml", broken());
    auto loaded = load_book(config_);
    town_.conductor().use_book(std::move(loaded.book));
    town_.pass(10s);
    town_.east = false;
    town_.pass(30s);
    EXPECT_EQ(town_.begun(), 0U);
    const auto& assessment = town_.assessment("east-down");
    EXPECT_EQ(assessment.verdict, VerdictWord::held);
    const auto why = why_of(*town_.conductor().book().at("east-down"), assessment);
    ASSERT_FALSE(why.gates.empty());
    EXPECT_EQ(why.gates[0].code, "broken");
    EXPECT_NE(why.gates[0].have.find("$.steps[1]: unknown step"), std::string::npos);
    api::RunRequest request;
    request.scenario = "east-down";
    request.overrides = {{"broken", "I know better"}, {"trigger", "x"}};
    const auto refused = town_.conductor().start_run({"li", ""}, request);
    ASSERT_TRUE(std::holds_alternative<api::Refusal>(refused));
    EXPECT_EQ(std::get<api::Refusal>(refused).rule, "broken");
    Alarms alarms;
    unsigned told = 0;
    for (const auto& alarm : alarms.look(town_.conductor(), {}))
        if (alarm.code == "scenario-broken") {
            ++told;
            EXPECT_NE(alarm.text.find("east.yaml:13:"), std::string::npos) << alarm.text;
        }
    EXPECT_EQ(told, 1U);
    // The others work.
    request.scenario = "failback-east";
    request.overrides = {{"already-so", "drill"}};
    town_.east = true;
    town_.pass(20s);
    EXPECT_TRUE(
        std::holds_alternative<scenario::Run>(town_.conductor().start_run({"li", ""}, request))
    );
}

}  // namespace
}  // namespace twinsite::switchover
