// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/volume_window.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

TEST(VolumeWindow, SumsTheWindowAndForgets) {
    VolumeWindow window(60s);
    window.add(100, 90, at_ms(1'000));
    window.add(100, 100, at_ms(30'000));
    EXPECT_EQ(window.sum(at_ms(30'000)).attempts, 200);
    EXPECT_DOUBLE_EQ(window.sum(at_ms(30'000)).share(), 0.95);
    EXPECT_EQ(window.sum(at_ms(59'999)).attempts, 200);
    EXPECT_EQ(window.sum(at_ms(60'000)).attempts, 100);  // the slice 0..5 s is over
    EXPECT_EQ(window.sum(at_ms(200'000)).attempts, 0);
}

TEST(VolumeWindow, SlicesAreUsedAgain) {
    VolumeWindow window(12s);
    for (std::int64_t s = 0; s < 100; ++s) window.add(1, 1, at_ms(s * 1000));
    EXPECT_EQ(window.sum(at_ms(99'000)).attempts, 12);
    window.add(50, 50, at_ms(10'000));  // long ago
    EXPECT_EQ(window.sum(at_ms(99'000)).attempts, 12);
}

TEST(VolumeWindow, ImpossibleCountsAreNothing) {
    VolumeWindow window(60s);
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    window.add(-5, 0, at_ms(0));
    window.add(10, 11, at_ms(0));
    window.add(10, -1, at_ms(0));
    window.add(nan, nan, at_ms(0));
    window.add(10, nan, at_ms(0));
    EXPECT_EQ(window.sum(at_ms(0)).attempts, 0);
}

}  // namespace
}  // namespace twinsite::switchover::judge
