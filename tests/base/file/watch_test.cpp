// SPDX-License-Identifier: Apache-2.0
#include "base/file/watch.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file/state_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::file {
namespace {

class WatchTest : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const {
        write_state_file(folder_.file(name), text).value();
    }
    /// The next look, at a moment when the files seem to be quite new.
    bool changed() { return watch_.changed(now_ += Watch::kPeriod, Watch::WallTime()); }
    /// The next look, long after.
    bool changed_long_ago() {
        const auto later = std::chrono::system_clock::now() + std::chrono::minutes(1);
        return watch_.changed(now_ += Watch::kPeriod, later);
    }

    tests::TemporaryFolder folder_;
    Watch::Time now_{};
    Watch watch_{{folder_.file("a"), "", folder_.file("b")}};
};

TEST_F(WatchTest, TellsOfAChangeOnceWhenItHasSettled) {
    EXPECT_FALSE(changed());
    write("a", "2");
    EXPECT_FALSE(changed()) << "may still move";
    EXPECT_TRUE(changed());
    EXPECT_FALSE(changed());
}

TEST_F(WatchTest, WaitsUntilAllFilesAreThere) {
    write("a", "2");
    EXPECT_FALSE(changed());
    write("b", "2");
    EXPECT_FALSE(changed()) << "the other one has moved meanwhile";
    EXPECT_TRUE(changed());
    std::filesystem::remove(folder_.file("b"));
    EXPECT_FALSE(changed());
    EXPECT_TRUE(changed()) << "one that goes is a change too";
}

TEST_F(WatchTest, OneLookIsEnoughWhenTheFilesHaveBeenAtRest) {
    EXPECT_FALSE(changed_long_ago());
    write("a", "2");
    EXPECT_TRUE(changed_long_ago());
    EXPECT_FALSE(changed_long_ago());
}

TEST_F(WatchTest, LooksNoMoreOftenThanItsPeriod) {
    write("a", "2");
    EXPECT_FALSE(changed());
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(watch_.changed(now_ + Watch::kPeriod / 2));
    EXPECT_TRUE(changed());
}

}  // namespace
}  // namespace twinsite::base::file
