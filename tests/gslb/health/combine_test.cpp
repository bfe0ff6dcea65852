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

TEST(Soonest, IsRoundedDownToAPowerOfTwo) {
    using std::chrono::milliseconds;
    EXPECT_EQ(soonest_seconds(milliseconds(0)), 0U);
    EXPECT_EQ(soonest_seconds(milliseconds(999)), 0U);
    EXPECT_EQ(soonest_seconds(milliseconds(1000)), 1U);
    EXPECT_EQ(soonest_seconds(milliseconds(3999)), 2U);
    EXPECT_EQ(soonest_seconds(milliseconds(90'000)), 64U);
    EXPECT_EQ(soonest_seconds(milliseconds::max()), 1U << 30);
}

TEST(Soonest, OfACombinationIsThatOfTheFirstCheckThatCanMoveIt) {
    const auto with = [](Health health, std::uint32_t soonest) {
        health.soonest_change_s = soonest;
        return health;
    };
    EXPECT_EQ(combine({}).soonest_change_s, Health::kNever);
    EXPECT_EQ(combine({with(kUp, 8), with(kUp, 4)}).soonest_change_s, 4U);
    EXPECT_EQ(combine({with(kUp, 1), with(kDown, 8)}).soonest_change_s, 8U) << "it is down already";
    EXPECT_EQ(combine({with(kDown, 2), with(kDown, 16)}).soonest_change_s, 16U);
    EXPECT_EQ(combine({with(kUnknown, 0), with(kUp, 8)}).soonest_change_s, 0U);
}

}  // namespace
}  // namespace twinsite::gslb::health
