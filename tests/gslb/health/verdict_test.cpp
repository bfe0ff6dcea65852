// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

/// Feeds '+' and '-' and gives the state after each as one letter.
std::string states_after(Verdict verdict, std::string_view results) {
    std::string out;
    for (const char result : results) {
        const auto before = verdict.state();
        EXPECT_EQ(verdict.feed(result == '+'), verdict.state() != before);
        out += *to_string(verdict.state());
    }
    return out;
}

constexpr Thresholds kThresholds{.up = 3, .ok = 2, .down = 3};

TEST(Verdict, IsUnknownUntilTheFirstResultWhichDecidesAtOnce) {
    const Verdict fresh(kThresholds);
    EXPECT_EQ(fresh.state(), State::unknown);
    EXPECT_TRUE(fresh.pending());
    EXPECT_EQ(fresh.results_to_change(), 1u);
    EXPECT_EQ(states_after(fresh, "+"), "u");
    EXPECT_EQ(states_after(fresh, "-"), "d");
}

TEST(Verdict, ComesUpAfterSuccessesInARow) {
    EXPECT_EQ(states_after(Verdict(kThresholds, State::down), "+++"), "ddu");
    EXPECT_EQ(states_after(Verdict(kThresholds, State::down), "++-++-+++"), "ddddddddu");
}

TEST(Verdict, GoesDownAfterFailuresThatNeedNotBeInARow) {
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "---"), "uud");
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "-+-+-"), "uuuud");
}

TEST(Verdict, EnoughSuccessesInARowForgiveEarlierFailures) {
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "--++--"), "uuuuuu");
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "--++---"), "uuuuuud");
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "--+-"), "uuud");
}

TEST(Verdict, SuccessesWithoutFailuresSaveNothingUp) {
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "++++++---"), "uuuuuuuud");
    // Two successes are collected only after the first failure.
    EXPECT_EQ(states_after(Verdict(kThresholds, State::up), "+-+-+-"), "uuuuud");
}

TEST(Verdict, AThresholdOfOneFollowsEveryResult) {
    const Thresholds quick{.up = 1, .ok = 1, .down = 1};
    EXPECT_EQ(states_after(Verdict(quick), "+-+-"), "udud");
}

TEST(Verdict, TheDefaultsAreThoseOfGdnsd) {
    Verdict verdict{Thresholds{}};
    verdict.feed(false);
    for (int i = 0; i < 19; ++i) EXPECT_FALSE(verdict.feed(true)) << i;
    EXPECT_TRUE(verdict.feed(true));
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(verdict.feed(false)) << i;
    EXPECT_TRUE(verdict.feed(false));
}

TEST(Verdict, CountsDownTheResultsThatAreStillNeeded) {
    Verdict verdict(kThresholds, State::up);
    EXPECT_EQ(verdict.results_to_change(), 3u);
    EXPECT_FALSE(verdict.pending());
    verdict.feed(false);
    EXPECT_EQ(verdict.results_to_change(), 2u);
    verdict.feed(false);
    EXPECT_EQ(verdict.results_to_change(), 1u);
    EXPECT_TRUE(verdict.pending());
    verdict.feed(true);
    EXPECT_TRUE(verdict.pending()) << "one success forgives nothing yet";
    verdict.feed(true);
    EXPECT_EQ(verdict.results_to_change(), 3u);
}

/// The rules once more, said as a search through the history instead of counters.
State by_definition(const Thresholds& thresholds, const std::vector<bool>& results) {
    State state = State::unknown;
    std::vector<bool> since;  // results since the state was entered or failures were forgiven
    const auto trailing_successes = [&since] {
        std::size_t count = 0;
        while (count < since.size() && since[since.size() - 1 - count]) ++count;
        return count;
    };
    const auto failures = [&since] {
        std::size_t count = 0;
        for (const bool good : since) count += !good;
        return count;
    };
    for (const bool good : results) {
        since.push_back(good);
        auto next = state;
        if (state == State::unknown) next = good ? State::up : State::down;
        if (state == State::down && trailing_successes() >= thresholds.up) next = State::up;
        if (state == State::up && failures() >= thresholds.down) next = State::down;
        if (state == State::up && failures() == 0) since.clear();
        if (state == State::up && trailing_successes() >= thresholds.ok) since.clear();
        if (next != state) since.clear();
        state = next;
    }
    return state;
}

TEST(Verdict, AgreesWithTheDefinitionForEverySequenceOfTenResults) {
    const std::vector<Thresholds> all{{3, 2, 3}, {1, 1, 1}, {2, 4, 2}, {4, 1, 2}, {1, 3, 4}};
    for (const auto& thresholds : all) {
        for (unsigned bits = 0; bits < 1024; ++bits) {
            Verdict verdict(thresholds);
            std::vector<bool> results;
            for (unsigned i = 0; i < 10; ++i) {
                const bool good = (bits >> i & 1) != 0;
                results.push_back(good);
                const auto needed = verdict.results_to_change();
                const bool changed = verdict.feed(good);
                ASSERT_GE(needed, 1u);
                ASSERT_TRUE(!changed || needed == 1) << "changed although not pending";
                ASSERT_EQ(verdict.state(), by_definition(thresholds, results)) << bits << " " << i;
            }
        }
    }
}

}  // namespace
}  // namespace twinsite::gslb::health
