// SPDX-License-Identifier: Apache-2.0
#include "slb/control/state_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinsite::slb::control {
namespace {

namespace fs = std::filesystem;

class StateFile : public testing::Test {
protected:
    StateFile() : folder_(fs::temp_directory_path() / ("slb-state-" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~StateFile() override { fs::remove_all(folder_); }
    std::string path() const { return (folder_ / "blades.json").string(); }

    fs::path folder_;
};

TEST_F(StateFile, ReadsWhatItWrote) {
    const auto absent = read_state_file(path());
    ASSERT_TRUE(absent);
    EXPECT_FALSE(*absent);
    ASSERT_TRUE(write_state_file(path(), "one"));
    ASSERT_TRUE(write_state_file(path(), "two"));
    EXPECT_EQ(**read_state_file(path()), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(StateFile, ACrashWhileWritingLeavesTheOldText) {
    ASSERT_TRUE(write_state_file(path(), "old"));
    std::ofstream(path() + ".new") << "ne";
    EXPECT_EQ(**read_state_file(path()), "old");
    ASSERT_TRUE(write_state_file(path(), "newer"));
    EXPECT_EQ(**read_state_file(path()), "newer");
}

TEST_F(StateFile, FailuresAreErrors) {
    EXPECT_FALSE(write_state_file((folder_ / "no" / "such" / "folder").string(), "x"));
    EXPECT_FALSE(read_state_file(folder_.string()));
}

}  // namespace
}  // namespace twinsite::slb::control
