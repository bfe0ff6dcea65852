// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict.hpp"

#include <optional>
#include <random>
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
        EXPECT_EQ(verdict.feed(result == '+', Clock::time_point()), verdict.state() != before);
        out += *to_string(verdict.state());
    }
    return out;
}

constexpr Thresholds kThresholds{.up = 3, .ok = 2, .down = 3};

TEST(Verdict, IsUnknownUntilTheFirstResultWhichDecidesAtOnce) {
    const Verdict fresh(kThresholds);
    EXPECT_EQ(fresh.state(), State::unknown);
    EXPECT_TRUE(fresh.pending(std::chrono::seconds(1)));
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
    verdict.feed(false, Clock::time_point());
    for (int i = 0; i < 19; ++i) EXPECT_FALSE(verdict.feed(true, Clock::time_point())) << i;
    EXPECT_TRUE(verdict.feed(true, Clock::time_point()));
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(verdict.feed(false, Clock::time_point())) << i;
    EXPECT_TRUE(verdict.feed(false, Clock::time_point()));
}

TEST(Verdict, CountsDownTheResultsThatAreStillNeeded) {
    Verdict verdict(kThresholds, State::up);
    EXPECT_EQ(verdict.results_to_change(), 3u);
    EXPECT_FALSE(verdict.pending(std::chrono::seconds(1)));
    verdict.feed(false, Clock::time_point());
    EXPECT_EQ(verdict.results_to_change(), 2u);
    verdict.feed(false, Clock::time_point());
    EXPECT_EQ(verdict.results_to_change(), 1u);
    EXPECT_TRUE(verdict.pending(std::chrono::seconds(1)));
    verdict.feed(true, Clock::time_point());
    EXPECT_TRUE(verdict.pending(std::chrono::seconds(1))) << "one success forgives nothing yet";
    verdict.feed(true, Clock::time_point());
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
                const bool changed = verdict.feed(good, Clock::time_point());
                ASSERT_GE(needed, 1u);
                ASSERT_TRUE(!changed || needed == 1) << "changed although not pending";
                ASSERT_EQ(verdict.state(), by_definition(thresholds, results)) << bits << " " << i;
            }
        }
    }
}

/// Down for ten seconds at least; one result each second.
constexpr Thresholds kHeld{.up = 2, .ok = 2, .down = 2, .hold_down = std::chrono::seconds(10)};

std::uint32_t draw(std::mt19937& random, std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
}

Clock::time_point second(int number) {
    return Clock::time_point() + std::chrono::seconds(number);
}

TEST(HoldDown, KeepsDownWhatWentDownHoweverGoodItIsAgain) {
    Verdict verdict(kHeld, State::up);
    verdict.feed(false, second(0));
    EXPECT_TRUE(verdict.feed(false, second(1)));
    EXPECT_EQ(verdict.held_until(), second(11));
    for (int i = 2; i < 11; ++i) EXPECT_FALSE(verdict.feed(true, second(i))) << i;
    EXPECT_TRUE(verdict.pending(std::chrono::seconds(1)));
    EXPECT_TRUE(verdict.feed(true, second(11)));
    EXPECT_EQ(verdict.state(), State::up);
    EXPECT_EQ(verdict.held_until(), std::nullopt);
}

TEST(HoldDown, IsNotForWhatIsFoundDownAtTheStart) {
    Verdict verdict(kHeld);
    verdict.feed(false, second(0));
    verdict.feed(true, second(1));
    EXPECT_TRUE(verdict.feed(true, second(2)));
}

TEST(HoldDown, NeverLetsACheckComeUpTooSoon) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const Thresholds thresholds{
            .up = 1 + draw(random, 4),
            .ok = 1 + draw(random, 4),
            .down = 1 + draw(random, 4),
            .hold_down = std::chrono::seconds(draw(random, 20))
        };
        Verdict verdict(thresholds);
        Verdict free({thresholds.up, thresholds.ok, thresholds.down, {}});
        std::optional<int> went_down;
        for (int i = 0; i < 200; ++i) {
            const bool good = random() % 3 != 0;
            const auto before = verdict.state();
            verdict.feed(good, second(i));
            free.feed(good, second(i));
            if (before == State::up && verdict.state() == State::down) went_down = i;
            if (before == State::down && verdict.state() == State::up && went_down)
                EXPECT_GE(std::chrono::seconds(i - *went_down), thresholds.hold_down);
            if (thresholds.hold_down.count() == 0) EXPECT_EQ(verdict.state(), free.state());
        }
    }
}

/// What soonest_change promises: from any moment between two results, no sequence of further
/// results, however early the schedule lets them come, changes the state sooner.
TEST(SoonestChange, IsNeverBeatenByAnySequence) {
    constexpr std::chrono::milliseconds kInterval{1000};
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const Thresholds thresholds{
            .up = 1 + draw(random, 5),
            .ok = 1 + draw(random, 5),
            .down = 1 + draw(random, 5),
            .hold_down = std::chrono::seconds(draw(random, 5))
        };
        Verdict verdict(thresholds);
        auto now = second(0);
        const auto step = [&] {
            now += std::chrono::milliseconds(900 + random() % 101);
            return verdict.feed(random() % 2 != 0, now);
        };
        for (unsigned i = 0; i < random() % 20; ++i) step();
        const auto promised = verdict.soonest_change(kInterval);
        const auto from = now + kInterval;  // the worst moment to have been told
        while (!step()) {
        }
        EXPECT_GE(now - from, promised - kInterval) << round;
        EXPECT_GE(now - (from - kInterval), promised) << round;
    }
}

TEST(SoonestChange, CountsResultsAndHoldDown) {
    constexpr std::chrono::milliseconds kInterval{1000};
    Verdict verdict({.up = 4, .ok = 2, .down = 3, .hold_down = std::chrono::seconds(30)});
    EXPECT_EQ(verdict.soonest_change(kInterval).count(), 0);
    verdict.feed(true, second(0));
    EXPECT_EQ(verdict.soonest_change(kInterval).count(), 1800) << "two more after the next";
    verdict.feed(false, second(1));
    EXPECT_EQ(verdict.soonest_change(kInterval).count(), 900);
    verdict.feed(false, second(2));
    EXPECT_EQ(verdict.soonest_change(kInterval).count(), 0);
    verdict.feed(false, second(3));
    EXPECT_EQ(verdict.soonest_change(kInterval).count(), 29'000) << "held";
}

}  // namespace
}  // namespace twinsite::gslb::health
