// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/state.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace twinsite::switchover::judge {
namespace {

using enum State;

// The rules in words, told apart from the table: what each event does, and what is special.
State expected(State state, Event event) {
    switch (event) {
        case Event::confirmed_bad:
            return failed;
        case Event::bad:
            return state == failed || state == recovering ? state : suspect;
        case Event::good:
            return state == failed || state == recovering ? recovering : ok;
        case Event::confirmed_good:
            return state == failed ? recovering : ok;
        case Event::no_data:
        case Event::blind:
            return state == failed || state == recovering ? state : unknown;
        case Event::acted:
            break;
    }
    return state;
}

TEST(State, EveryStateAnswersEveryEvent) {
    for (const auto state : kAllStates)
        for (const auto event : kAllEvents)
            EXPECT_EQ(next(state, event), expected(state, event))
                << to_string(state) << " + " << to_string(event);
}

TEST(State, FailedIsLeftOnlyByGoodEvidence) {
    for (const auto event : kAllEvents) {
        const bool good = event == Event::good || event == Event::confirmed_good;
        EXPECT_EQ(next(failed, event) != failed, good) << to_string(event);
    }
}

TEST(State, FailedNeverBecomesOkInOneStep) {
    for (const auto event : kAllEvents) EXPECT_NE(next(failed, event), ok) << to_string(event);
}

TEST(State, OneBadSignNeverFails) {
    for (const auto state : kAllStates)
        if (state != failed) EXPECT_NE(next(state, Event::bad), failed) << to_string(state);
}

TEST(State, BlindnessNeverMakesAnythingWorse) {
    for (const auto state : kAllStates) {
        const auto to = next(state, Event::blind);
        EXPECT_NE(to, suspect) << to_string(state);
        if (state != failed) EXPECT_NE(to, failed) << to_string(state);
        if (state != ok) EXPECT_NE(to, ok) << to_string(state);
    }
}

TEST(State, EveryStateReachesEveryOther) {
    for (const auto from : kAllStates) {
        std::set<State> reached{from};
        for (std::size_t round = 0; round < kAllStates.size(); ++round)
            for (const auto state : std::set<State>(reached))
                for (const auto event : kAllEvents) reached.insert(next(state, event));
        EXPECT_EQ(reached.size(), kAllStates.size()) << to_string(from);
    }
}

TEST(State, WordsAreDistinct) {
    std::set<std::string_view> words;
    for (const auto state : kAllStates) words.insert(to_string(state));
    EXPECT_EQ(
        words, (std::set<std::string_view>{"UNKNOWN", "OK", "SUSPECT", "FAILED", "RECOVERING"})
    );
    words.clear();
    for (const auto event : kAllEvents) words.insert(to_string(event));
    EXPECT_EQ(words.size(), kAllEvents.size());
}

}  // namespace
}  // namespace twinsite::switchover::judge
