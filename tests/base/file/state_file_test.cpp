// SPDX-License-Identifier: Apache-2.0
#include "base/file/state_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinsite::base::file {
namespace {

namespace fs = std::filesystem;

class StateFileTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("base_state_file." + std::to_string(::getpid()));
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
    EXPECT_EQ(written.error(), boost::system::errc::is_a_directory);
    EXPECT_EQ(**read_state_file(file_), "old");
}

TEST_F(StateFileTest, AMeasuredStateIsReplacedWithoutWaitingForTheDisk) {
    ASSERT_TRUE(write_state_file(file_, "old", Durability::renamed));
    ASSERT_TRUE(write_state_file(file_, "new", Durability::renamed));
    EXPECT_EQ(**read_state_file(file_), "new");
}

TEST_F(StateFileTest, AMissingFolderIsAnError) {
    const auto written = write_state_file(folder_ / "no" / "file", "x");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), boost::system::errc::no_such_file_or_directory);
}

TEST_F(StateFileTest, AFolderCannotBeRead) {
    EXPECT_EQ(read_state_file(folder_).error(), boost::system::errc::is_a_directory);
}

}  // namespace
}  // namespace twinsite::base::file
