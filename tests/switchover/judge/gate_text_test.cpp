// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/gate_text.hpp"

#include <gtest/gtest.h>

#include "tests/switchover/judge/world.hpp"

namespace twinsite::switchover::judge {
namespace {

using namespace std::chrono_literals;

TEST(GateText, SpellsTimesAndNumbersForPeople) {
    EXPECT_EQ(spell(850ms), "850 ms");
    EXPECT_EQ(spell(Duration(2500)), "2.5 s");
    EXPECT_EQ(spell(Duration(3000)), "3 s");
    EXPECT_EQ(spell(Duration(45'900)), "45 s");
    EXPECT_EQ(spell(Duration(600'000)), "10 min");
    EXPECT_EQ(spell(0.94), "0.94");
    EXPECT_EQ(spell(98.0), "98");
    EXPECT_EQ(spell(1200.0), "1200");
    EXPECT_EQ(of(2, 3), "2 of 3");
}

TEST(GateText, AgeIsNeverNegative) {
    EXPECT_FALSE(age(std::nullopt, at_ms(5)));
    EXPECT_EQ(age(at_ms(1000), at_ms(2500)), 1500U);
    EXPECT_EQ(age(at_ms(3000), at_ms(2500)), 0U);
}

}  // namespace
}  // namespace twinsite::switchover::judge
