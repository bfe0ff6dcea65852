// SPDX-License-Identifier: Apache-2.0
#include "switchover/generation.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "switchover/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::switchover {
namespace {

class Generation : public testing::Test {
protected:
    Generation() {
        store::OpenFailure failure;
        store_ = store::open_sqlite(
            {.directory = folder_.path(), .wall_ms = [] { return std::int64_t{1}; }}, failure
        );
        leader_ = std::make_unique<lead::Leader>(*store_, "sw");
        static_cast<void>(leader_->take());
    }
    void ask(const std::string& text) { std::ofstream(file_) << text; }

    tests::TemporaryFolder folder_;
    const std::string file_ = folder_.file("raise-generation");
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<lead::Leader> leader_;
};

TEST_F(Generation, StaysWhenNobodyAsks) {
    ASSERT_TRUE(raise_generation_as_asked(*leader_, file_));
    EXPECT_EQ(leader_->fence().generation, 1U);
}

TEST_F(Generation, IsRaisedOnceByAnEmptyFile) {
    ask("");
    ASSERT_TRUE(raise_generation_as_asked(*leader_, file_));
    EXPECT_EQ(leader_->fence().generation, 2U);
    EXPECT_FALSE(std::filesystem::exists(file_));
    ASSERT_TRUE(raise_generation_as_asked(*leader_, file_));
    EXPECT_EQ(leader_->fence().generation, 2U);
    EXPECT_EQ(store_->audit(0, 9)->at(0).action, "generation.raise");
}

TEST_F(Generation, ReachesTheNumberInTheFile) {
    ask("7\n");
    ASSERT_TRUE(raise_generation_as_asked(*leader_, file_));
    EXPECT_EQ(leader_->fence().generation, 7U);
}

TEST_F(Generation, NonsenseIsRefusedAndKept) {
    ask("seven");
    EXPECT_FALSE(raise_generation_as_asked(*leader_, file_));
    EXPECT_TRUE(std::filesystem::exists(file_));
    EXPECT_EQ(leader_->fence().generation, 1U);
}

}  // namespace
}  // namespace twinsite::switchover
