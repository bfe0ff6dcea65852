// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

// Carries the precompiled headers of the tests (cmake/Twinsite.cmake).
int main(int count, char** arguments) {
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
