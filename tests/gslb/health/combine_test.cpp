// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/combine.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::health {
namespace {

constexpr Health kUp{State::up, false, false};
constexpr Health kUpPending{State::up, true, false};
constexpr Health kDown{State::down, false, false};
constexpr Health kDownPending{State::down, true, false};
constexpr Health kUnknown{State::unknown, true, false};

TEST(Combine, ATargetWithoutChecksIsUp) {
    EXPECT_EQ(combine({}), kUp);
}

TEST(Combine, AllChecksMustBeUp) {
    EXPECT_EQ(combine({kUp, kUp}).state, State::up);
    EXPECT_EQ(combine({kUp, kDown}).state, State::down);
    EXPECT_EQ(combine({kUp, kUnknown}).state, State::unknown);
    EXPECT_EQ(combine({kUnknown, kDown}).state, State::down) << "one down check is enough";
}

TEST(Combine, IsPendingWhenOneResultCouldChangeIt) {
    EXPECT_FALSE(combine({kUp, kUp}).pending);
    EXPECT_TRUE(combine({kUp, kUpPending}).pending);
    EXPECT_TRUE(combine({kUp, kUnknown}).pending);
    EXPECT_TRUE(combine({kUp, kDownPending}).pending);
    EXPECT_FALSE(combine({kUpPending, kDown}).pending) << "it is down already";
    EXPECT_FALSE(combine({kDownPending, kDownPending}).pending) << "the other one keeps it down";
}

TEST(Combine, IsRestoredWhenAnyPartIs) {
    EXPECT_TRUE(combine({kUp, {State::up, false, true}}).restored);
    EXPECT_FALSE(combine({kUp, kUp}).restored);
}

}  // namespace
}  // namespace twinsite::gslb::health
