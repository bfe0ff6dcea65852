// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/process.hpp"

#include <gtest/gtest.h>

namespace twinsite::monitor::collect {
namespace {

using namespace std::chrono_literals;

constexpr ProcessTime kStart{1'000s};

Instance instance(std::int32_t pid, char state = 'S', std::uint64_t start = 500) {
    return {{pid, start, 77}, state, false};
}

ProcessWatch one() {
    return {1, 1, 60s};
}

// M-T11
TEST(ParseStat, TheCommandEndsAtTheLastBracket) {
    const auto stat = parse_stat(
        "4711 (a) R (b) S 1 4711 4711 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 12345 6 7\n"
    );
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->pid, 4711);
    EXPECT_EQ(stat->command, "a) R (b");
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->start, 987'654U);
}

TEST(ParseStat, OtherTextsAreRefused) {
    for (const auto* text :
         {"",
          "(",
          ")(",
          "1 (x)",
          "1 (x) S",
          "x (x) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8",
          "1 (x) SS 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9",
          "1 (x) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 y"})
        EXPECT_FALSE(parse_stat(text)) << text;
}

TEST(ProcessWatch, NoneIsDownAndOneIsUp) {
    auto watch = one();
    EXPECT_EQ(watch.look({}, false, kStart).state, ProcessState::down);
    const auto verdict = watch.look({instance(10)}, false, kStart + 1s);
    EXPECT_EQ(verdict.state, ProcessState::up);
    EXPECT_EQ(verdict.count, 1U);
    EXPECT_EQ(verdict.detail, "");
}

// M-T11
TEST(ProcessWatch, AZombieIsDownUnlessAThreadLives) {
    auto watch = one();
    EXPECT_EQ(watch.look({instance(10, 'Z')}, false, kStart).state, ProcessState::down);
    auto leaderless = instance(10, 'Z');
    leaderless.thread_alive = true;
    const auto verdict = watch.look({leaderless}, false, kStart + 1s);
    EXPECT_EQ(verdict.state, ProcessState::up);
    EXPECT_EQ(verdict.detail, "the main thread has ended, others go on");
}

// M-T11
TEST(ProcessWatch, WaitingForADeviceIsUpUntilItLasts) {
    auto watch = one();
    EXPECT_EQ(watch.look({instance(10, 'D')}, false, kStart).state, ProcessState::up);
    EXPECT_EQ(watch.look({instance(10, 'D')}, false, kStart + 59'999ms).state, ProcessState::up);
    EXPECT_EQ(watch.look({instance(10, 'D')}, false, kStart + 60s).state, ProcessState::stuck);
    EXPECT_EQ(watch.look({instance(10, 'R')}, false, kStart + 61s).state, ProcessState::up);
    EXPECT_EQ(watch.look({instance(10, 'T')}, false, kStart + 62s).state, ProcessState::up);
    EXPECT_EQ(watch.look({instance(10, 't')}, false, kStart + 122s).state, ProcessState::stuck);
}

// M-T11: the number belongs to another process now.
TEST(ProcessWatch, ARestartIsSeenBothWhenItWasDownInBetweenAndWhenNot) {
    auto watch = one();
    EXPECT_EQ(watch.look({instance(10, 'S', 500)}, false, kStart).restarts, 0U);
    EXPECT_EQ(watch.look({instance(10, 'S', 900)}, false, kStart + 1s).restarts, 1U);
    EXPECT_EQ(watch.look({}, false, kStart + 2s).restarts, 1U);
    EXPECT_EQ(watch.look({instance(11, 'S', 950)}, false, kStart + 3s).restarts, 2U);
}

TEST(ProcessWatch, TheFirstInstancesAreNoRestart) {
    auto watch = one();
    EXPECT_EQ(watch.look({}, false, kStart).restarts, 0U);
    EXPECT_EQ(watch.look({instance(10)}, false, kStart + 1s).restarts, 0U);
}

TEST(ProcessWatch, TooFewAreDownAndTooManyAreSaid) {
    ProcessWatch watch(2, 3, 60s);
    const auto few = watch.look({instance(1)}, false, kStart);
    EXPECT_EQ(few.state, ProcessState::down);
    EXPECT_EQ(few.detail, "1 of 2 instances");
    const auto many =
        watch.look({instance(1), instance(2), instance(3), instance(4)}, false, kStart + 1s);
    EXPECT_EQ(many.state, ProcessState::up);
    EXPECT_EQ(many.detail, "4 instances, at most 3");
}

TEST(ProcessWatch, WhatMayNotBeLookedAtIsNotKnown) {
    auto watch = one();
    EXPECT_EQ(watch.look({}, true, kStart).state, ProcessState::unknown);
    EXPECT_EQ(watch.look({instance(10)}, true, kStart + 1s).state, ProcessState::up);
}

}  // namespace
}  // namespace twinsite::monitor::collect
