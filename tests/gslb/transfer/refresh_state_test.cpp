// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/refresh_state.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::transfer {
namespace {

using Phase = RefreshState::Phase;
using std::chrono::seconds;

const RefreshState::Time kStart{seconds(1'000'000)};
const Soa kSoa{7, 100, 10, 500};

TEST(RefreshState, WithoutACopyAsksAtOnceAndThenMoreAndMoreRarely) {
    RefreshState state(kStart);
    EXPECT_EQ(state.next(), kStart);
    EXPECT_EQ(state.phase(), Phase::empty);
    EXPECT_FALSE(state.expires());
    auto now = kStart;
    seconds last{0};
    for (int i = 0; i < 12; ++i) {
        state.failed(now);
        const auto pause = std::chrono::duration_cast<seconds>(state.next() - now);
        EXPECT_GE(pause, last);
        EXPECT_LE(pause, RefreshState::kLastRetry);
        last = pause;
        now = state.next();
    }
    EXPECT_EQ(last, RefreshState::kLastRetry);
    EXPECT_EQ(state.phase(), Phase::empty) << "what never was does not expire";
    EXPECT_EQ(state.failing_since(), kStart);
}

TEST(RefreshState, FollowsTheTimesOfTheSoa) {
    RefreshState state(kStart);
    state.confirmed(kSoa, kStart);
    EXPECT_EQ(state.phase(), Phase::current);
    EXPECT_EQ(state.next(), kStart + seconds(100));
    EXPECT_EQ(state.expires(), kStart + seconds(500));
    state.failed(kStart + seconds(100));
    EXPECT_EQ(state.phase(), Phase::stale) << "never ok while updates have stopped";
    EXPECT_EQ(state.next(), kStart + seconds(110));
    EXPECT_EQ(state.expires(), kStart + seconds(500)) << "a failure does not put it off";
    state.confirmed(kSoa, kStart + seconds(110));
    EXPECT_EQ(state.phase(), Phase::current);
    EXPECT_FALSE(state.failing_since());
}

TEST(RefreshState, ExpiresOnceAndComesBack) {
    RefreshState state(kStart);
    state.confirmed(kSoa, kStart);
    EXPECT_FALSE(state.expire(kStart + seconds(499)));
    EXPECT_TRUE(state.expire(kStart + seconds(500)));
    EXPECT_EQ(state.phase(), Phase::expired);
    EXPECT_FALSE(state.expire(kStart + seconds(501)));
    state.failed(kStart + seconds(501));
    EXPECT_EQ(state.phase(), Phase::expired);
    EXPECT_EQ(state.next(), kStart + seconds(511)) << "goes on asking";
    state.confirmed(kSoa, kStart + seconds(511));
    EXPECT_EQ(state.phase(), Phase::current);
}

TEST(RefreshState, ACopyFromDiskGoesOnAgeing) {
    RefreshState state(kStart);
    state.restored(kSoa, kStart, seconds(400));
    EXPECT_EQ(state.next(), kStart);
    EXPECT_EQ(state.phase(), Phase::current);
    EXPECT_TRUE(state.expire(kStart + seconds(100)));
    RefreshState old(kStart);
    old.restored(kSoa, kStart, seconds(501));
    EXPECT_EQ(old.phase(), Phase::expired);
    RefreshState future(kStart);
    future.restored(kSoa, kStart, seconds(-9999));
    EXPECT_EQ(future.expires(), kStart + seconds(500)) << "a wall clock that was set back";
}

TEST(RefreshState, ANotifyMakesItAskAtOnce) {
    RefreshState state(kStart);
    state.confirmed(kSoa, kStart);
    state.ask_now(kStart + seconds(3));
    EXPECT_EQ(state.next(), kStart + seconds(3));
    state.ask_now(kStart + seconds(5));
    EXPECT_EQ(state.next(), kStart + seconds(3)) << "never later than before";
}

TEST(RefreshState, BoundsWhatAPrimaryWants) {
    RefreshState state(kStart);
    state.confirmed({7, 0, 0, 0}, kStart);
    EXPECT_EQ(state.next(), kStart + RefreshState::kLeast);
    EXPECT_GE(*state.expires(), state.next() + RefreshState::kLeast);
    state.confirmed({7, 0xffffffff, 0xffffffff, 0xffffffff}, kStart);
    EXPECT_EQ(state.next(), kStart + RefreshState::kMost);
}

}  // namespace
}  // namespace twinsite::gslb::transfer
