// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/flap_window.hpp"

#include <gtest/gtest.h>

namespace twinsite::switchover::judge {
namespace {

TEST(FlapWindow, SteadyIsZeroAndAlternatingIsAll) {
    FlapWindow steady;
    for (int i = 0; i < 30; ++i) steady.push(true);
    EXPECT_EQ(steady.percent(), 0);
    EXPECT_FALSE(steady.flapping());
    FlapWindow wild;
    for (unsigned i = 0; i < FlapWindow::kSamples; ++i) wild.push(i % 2 == 0);
    EXPECT_DOUBLE_EQ(wild.percent(), 100);
    EXPECT_TRUE(wild.flapping());
}

TEST(FlapWindow, FirstSampleIsNoChange) {
    FlapWindow window;
    window.push(true);
    EXPECT_EQ(window.percent(), 0);
}

TEST(FlapWindow, NewerChangesWeighMore) {
    FlapWindow window;
    for (unsigned i = 0; i < FlapWindow::kSamples; ++i) window.push(false);
    window.push(true);
    EXPECT_DOUBLE_EQ(window.percent(), 100.0 * 1.2 / 20);
    for (int i = 0; i < 19; ++i) window.push(true);
    EXPECT_DOUBLE_EQ(window.percent(), 100.0 * 0.8 / 20);
    window.push(true);
    EXPECT_EQ(window.percent(), 0);
}

TEST(FlapWindow, TurnsOnAboveHalfAndOffBelowAQuarter) {
    FlapWindow window;
    bool value = false;
    unsigned changes = 0;
    while (!window.flapping()) {
        window.push(value = !value);
        ++changes;
        ASSERT_LE(changes, 21U);
    }
    // The newest changes weigh 1.2, 1.18 ...: the ninth brings the share above one half of 20.
    EXPECT_GT(window.percent(), 50);
    EXPECT_EQ(changes, 10U);  // the first push is no change
    double last = 100;
    while (window.flapping()) {
        last = window.percent();
        window.push(value);
    }
    EXPECT_GE(last, 25);
    EXPECT_LT(window.percent(), 25);
    EXPECT_GT(window.percent(), 0);
}

TEST(FlapWindow, BetweenTheLimitsItKeepsItsWord) {
    // Every third sample is another: about a third of the pairs change. Not on from below.
    FlapWindow window;
    bool value = false;
    for (int i = 0; i < 60; ++i) {
        if (i % 3 == 0) value = !value;
        window.push(value);
        EXPECT_FALSE(window.flapping());
    }
    EXPECT_GT(window.percent(), 25);
    EXPECT_LT(window.percent(), 50);
    // On first, it stays on at the same rate.
    for (int i = 0; i < 21; ++i) window.push(value = !value);
    ASSERT_TRUE(window.flapping());
    for (int i = 0; i < 60; ++i) {
        if (i % 3 == 0) value = !value;
        window.push(value);
        EXPECT_TRUE(window.flapping());
    }
}

}  // namespace
}  // namespace twinsite::switchover::judge
