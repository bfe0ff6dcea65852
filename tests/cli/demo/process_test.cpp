// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/process.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinsite::cli::demo {
namespace {

using namespace std::chrono_literals;

class ProcessTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = "/tmp/twinsite-process-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override {
        if (record_ && send(*record_, SIGKILL)) wait_for_death(*record_, 5s);
        std::filesystem::remove_all(folder_);
    }
    // A process that stays until it is ended.
    void start() {
        const auto launched = launch({"/bin/sleep", "60"}, folder_ / "log");
        ASSERT_TRUE(launched) << launched.error().message();
        record_ = *launched;
    }
    // The kernel needs a moment from the signal to the new state.
    bool becomes(Life wanted) const {
        for (int tries = 0; tries < 500; ++tries) {
            if (life_of(*record_) == wanted) return true;
            usleep(2'000);
        }
        return false;
    }

    std::filesystem::path folder_;
    std::optional<Record> record_;
};

TEST_F(ProcessTest, RunsInASessionOfItsOwn) {
    start();
    EXPECT_EQ(life_of(*record_), Life::running);
    EXPECT_EQ(getsid(record_->pid), record_->pid);
    EXPECT_NE(getsid(0), record_->pid);
}

TEST_F(ProcessTest, AFileThatOpensButCannotBeReadIsNoRecord) {
    EXPECT_EQ(read_record(folder_), std::nullopt);
}

TEST_F(ProcessTest, StopsContinuesAndDies) {
    start();
    EXPECT_TRUE(send(*record_, SIGSTOP));
    EXPECT_TRUE(becomes(Life::stopped));
    EXPECT_TRUE(send(*record_, SIGCONT));
    EXPECT_TRUE(becomes(Life::running));
    EXPECT_FALSE(wait_for_death(*record_, 20ms));
    EXPECT_TRUE(send(*record_, SIGKILL));
    EXPECT_TRUE(wait_for_death(*record_, 5s));
    EXPECT_EQ(life_of(*record_), Life::dead);
    EXPECT_FALSE(send(*record_, SIGKILL));
}

TEST_F(ProcessTest, ANumberWithAnotherStartTimeIsSomebodyElse) {
    start();
    auto other = *record_;
    other.start_time += 1;
    EXPECT_EQ(life_of(other), Life::dead);
    EXPECT_FALSE(send(other, SIGKILL));
    EXPECT_EQ(life_of(*record_), Life::running);
}

TEST_F(ProcessTest, AZombieIsDead) {
    start();
    kill(record_->pid, SIGKILL);
    EXPECT_TRUE(becomes(Life::dead));
}

TEST_F(ProcessTest, BothOutputsGoToTheLogAndAreAppended) {
    for (int i = 0; i < 2; ++i) {
        const auto launched = launch({"/bin/sh", "-c", "echo out; echo err >&2"}, folder_ / "log");
        ASSERT_TRUE(launched) << launched.error().message();
        EXPECT_TRUE(wait_for_death(*launched, 5s));
    }
    std::ifstream in(folder_ / "log");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_EQ(text, "out\nerr\nout\nerr\n");
}

TEST_F(ProcessTest, AProgramThatIsNotThereIsAnError) {
    const auto launched = launch({(folder_ / "nothing").string()}, folder_ / "log");
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error(), boost::system::errc::no_such_file_or_directory);
}

TEST_F(ProcessTest, RecordsSurviveTheWayThroughAFile) {
    const Record record{4711, 123'456'789'012ULL};
    ASSERT_TRUE(write_record(folder_ / "a.json", record));
    EXPECT_EQ(read_record(folder_ / "a.json"), record);
}

TEST_F(ProcessTest, RecordsThatWouldHitOthersAreNotRead) {
    EXPECT_FALSE(read_record(folder_ / "missing.json"));
    for (const auto* text :
         {"",
          "{}",
          "[1]",
          R"({"pid":0,"start_time":1})",
          R"({"pid":-1,"start_time":1})",
          R"({"pid":1,"start_time":1})",
          R"({"pid":77})",
          R"({"pid":"x","start_time":1})"}) {
        std::ofstream(folder_ / "bad.json", std::ios::trunc) << text;
        EXPECT_FALSE(read_record(folder_ / "bad.json")) << text;
    }
}

}  // namespace
}  // namespace twinsite::cli::demo
