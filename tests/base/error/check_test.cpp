// SPDX-License-Identifier: Apache-2.0
#include "base/error/check.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Check, BrokenInvariantNamesItselfAndAborts) {
    EXPECT_DEATH(BASE_CHECK(1 + 1 == 3), "check_test.cpp:.*broken invariant: 1 \\+ 1 == 3");
}

}  // namespace
