// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/file_safety.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::action {
namespace {

namespace fs = std::filesystem;

class FileSafetyTest : public ::testing::Test {
protected:
    FileSafetyTest() {
        fs::create_directory(folder_.file("bin"));
        fs::permissions(folder_.file("bin"), fs::perms(0755));
        std::ofstream(program_) << "#!/bin/sh\n";
        fs::permissions(program_, fs::perms(0755));
    }
    std::string problem() const { return find_unsafe_program(program_).value_or(""); }

    tests::TemporaryFolder folder_;
    std::string program_ = folder_.file("bin/program");
};

TEST_F(FileSafetyTest, AProgramOfOursInAFolderOfOursIsSafe) {
    EXPECT_EQ(problem(), "");
    EXPECT_EQ(find_unsafe_program("/bin/sh").value_or(""), "") << "a link, all of it root's";
}

TEST_F(FileSafetyTest, WritableByGroupOrOthersIsNot) {
    for (const int mode : {0775, 0757, 0777}) {
        fs::permissions(program_, fs::perms(mode));
        EXPECT_NE(problem().find("may be written"), std::string::npos) << mode;
        EXPECT_NE(read_safe_file(program_).problem, "") << mode;
    }
}

TEST_F(FileSafetyTest, NorIsAFolderThatOthersMayChange) {
    fs::permissions(folder_.file("bin"), fs::perms(0777));
    EXPECT_NE(problem().find("may be written"), std::string::npos);
    EXPECT_NE(read_safe_file(program_).problem, "");
    fs::permissions(folder_.file("bin"), fs::perms(01777));
    EXPECT_EQ(problem(), "") << "with the sticky bit nobody can replace a file of ours";
}

TEST_F(FileSafetyTest, NorWhatALinkInSuchAFolderLeadsTo) {
    fs::create_directory(folder_.file("open"));
    fs::permissions(folder_.file("open"), fs::perms(0777));
    fs::create_symlink("/bin/sh", folder_.file("open/link"));
    EXPECT_TRUE(find_unsafe_program(folder_.file("open/link")));
}

TEST_F(FileSafetyTest, EveryLinkOnTheWayCounts) {
    fs::create_directory(folder_.file("open"));
    fs::create_symlink("/bin/sh", folder_.file("open/middle"));
    fs::create_symlink("../open/middle", folder_.file("bin/first"));
    EXPECT_EQ(find_unsafe_program(folder_.file("bin/first")).value_or(""), "");
    fs::permissions(folder_.file("open"), fs::perms(0777));
    EXPECT_NE(
        find_unsafe_program(folder_.file("bin/first")).value_or("").find("may be written"),
        std::string::npos
    ) << "who may change the link in the middle chooses the program";
    EXPECT_NE(read_safe_file(folder_.file("bin/first")).problem, "");
}

TEST_F(FileSafetyTest, ALinkOfAnotherIsNotFollowed) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
    fs::create_symlink("/bin/sh", folder_.file("bin/link"));
    ASSERT_EQ(::lchown(folder_.file("bin/link").c_str(), 65534, 65534), 0);
    EXPECT_TRUE(find_unsafe_program(folder_.file("bin/link")));
}

TEST_F(FileSafetyTest, ALinkToItselfEnds) {
    fs::create_symlink("loop", folder_.file("bin/loop"));
    EXPECT_TRUE(find_unsafe_program(folder_.file("bin/loop")));
    EXPECT_NE(read_safe_file(folder_.file("bin/loop")).problem, "");
}

TEST_F(FileSafetyTest, NorWhatBelongsToAnother) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    ASSERT_EQ(::chown(program_.c_str(), 65534, 65534), 0);
    EXPECT_NE(problem().find("belongs"), std::string::npos);
    EXPECT_NE(read_safe_file(program_).problem.find("belongs"), std::string::npos);
}

TEST_F(FileSafetyTest, OnlyFilesThatMayBeExecutedArePrograms) {
    fs::permissions(program_, fs::perms(0644));
    EXPECT_NE(problem().find("not executable"), std::string::npos);
    EXPECT_NE(
        find_unsafe_program(folder_.file("bin")).value_or("").find("not a file"), std::string::npos
    );
    EXPECT_TRUE(find_unsafe_program(folder_.file("nothing")));
}

TEST_F(FileSafetyTest, ReadsASafeFileAndNothingElse) {
    EXPECT_EQ(read_safe_file(program_).text, "#!/bin/sh\n");
    EXPECT_NE(read_safe_file(folder_.file("nothing")).problem, "");
    ASSERT_EQ(::mkfifo(folder_.file("fifo").c_str(), 0600), 0);
    EXPECT_NE(read_safe_file(folder_.file("fifo")).problem.find("not a file"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::monitor::action
