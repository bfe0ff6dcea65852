// SPDX-License-Identifier: Apache-2.0
#include "switchover/first_password.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/crypto/secret.hpp"
#include "switchover/store/sqlite_store.hpp"
#include "switchover/store/users.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover {
namespace {

std::int64_t wall() {
    return 1'790'000'000'000;
}

class FirstPassword : public testing::Test {
protected:
    FirstPassword() {
        store::OpenFailure failure;
        store_ = store::open_sqlite({.directory = folder_.path(), .wall_ms = wall}, failure);
        leader_ = std::make_unique<lead::Leader>(*store_, "sw");
        static_cast<void>(leader_->take());
    }
    std::string password() const {
        std::ifstream in(file_);
        std::string out;
        std::getline(in, out);
        return out;
    }
    tests::TemporaryFolder folder_;
    const std::string file_ = folder_.file("first-password");
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<lead::Leader> leader_;
};

TEST_F(FirstPassword, IsMadeOnceAndMustBeChanged) {
    ASSERT_TRUE(make_first_user(*store_, *leader_, file_));
    const auto first = password();
    EXPECT_EQ(first.size(), 20U);
    const auto admin = *store::find_user(*store_, "admin");
    ASSERT_TRUE(admin);
    EXPECT_EQ(admin->role, "admin");
    EXPECT_TRUE(admin->must_change);
    EXPECT_TRUE(base::crypto::check_password(first, admin->password_hash));
    struct stat facts{};
    ASSERT_EQ(::stat(file_.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    std::filesystem::remove(file_);
    ASSERT_TRUE(make_first_user(*store_, *leader_, file_));
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(FirstPassword, NeverStandsInTheAudit) {
    ASSERT_TRUE(make_first_user(*store_, *leader_, file_));
    const auto lines = store_->audit(0, 10);
    ASSERT_EQ(lines->size(), 1U);
    EXPECT_EQ(lines->at(0).action, "user.create");
    EXPECT_EQ(lines->at(0).detail.find(password()), std::string::npos);
}

TEST_F(FirstPassword, ALinkInItsPlaceIsNotFollowed) {
    const auto other = folder_.file("other");
    std::ofstream(other) << "kept";
    std::filesystem::create_symlink(other, file_);
    ASSERT_TRUE(make_first_user(*store_, *leader_, file_));
    EXPECT_FALSE(std::filesystem::is_symlink(file_));
    std::ifstream in(other);
    std::string text;
    in >> text;
    EXPECT_EQ(text, "kept");
}

TEST_F(FirstPassword, AFileThatCannotBeWrittenMakesNoUser) {
    EXPECT_FALSE(make_first_user(*store_, *leader_, "/nonexistent/first"));
    EXPECT_FALSE(*store::find_user(*store_, "admin"));
}

}  // namespace
}  // namespace twinsite::switchover
