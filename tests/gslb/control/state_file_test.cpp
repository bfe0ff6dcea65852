// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/state_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gslb/control/error.hpp"

namespace twinsite::gslb::control {
namespace {

namespace fs = std::filesystem;

class StateFileTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("gslb_state_file." + std::to_string(::getpid()));
        fs::create_directories(folder_);
        file_ = folder_ / "overrides.json";
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_;
    std::string file_;
};

TEST_F(StateFileTest, AMissingFileIsNoError) {
    const auto read = read_state_file(file_);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, std::nullopt);
}

TEST_F(StateFileTest, ReplacesTheOldTextWhole) {
    ASSERT_TRUE(write_state_file(file_, std::string(100'000, 'a')));
    ASSERT_TRUE(write_state_file(file_, "b"));
    const auto read = read_state_file(file_);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, "b");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(StateFileTest, AFailureLeavesTheOldText) {
    ASSERT_TRUE(write_state_file(file_, "old"));
    fs::create_directory(file_ + ".new");  // in the way of the fresh file
    const auto written = write_state_file(file_, "new");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), make_error_code(Errc::cannot_write));
    EXPECT_EQ(**read_state_file(file_), "old");
}

TEST_F(StateFileTest, AFolderCannotBeRead) {
    EXPECT_EQ(read_state_file(folder_).error(), make_error_code(Errc::cannot_read));
}

}  // namespace
}  // namespace twinsite::gslb::control
