// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/descriptor_limit.hpp"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace twinsite::base::daemon {
namespace {

TEST(DescriptorLimit, TheSoftLimitBecomesTheHardOne) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit low = before;
    low.rlim_cur = 64;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    raise_descriptor_limit();
    rlimit after{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
    EXPECT_EQ(after.rlim_cur, before.rlim_max);
    EXPECT_EQ(after.rlim_max, before.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace twinsite::base::daemon
