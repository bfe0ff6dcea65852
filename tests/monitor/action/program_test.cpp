// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/program.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::action {
namespace {

using base::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ProgramTest : public ::testing::Test {
protected:
    Result<ProgramOutcome> run(ProgramCall call) {
        return tests::run_to_end(io_, run_program(std::move(call)));
    }
    /// A shell script, as an operator's program may be one.
    Result<ProgramOutcome> run_script(const std::string& text, milliseconds timeout = seconds(20)) {
        ProgramCall call;
        call.arguments = {"/bin/sh", "-c", text};
        call.timeout = timeout;
        call.grace = milliseconds(300);
        return run(std::move(call));
    }

    boost::asio::io_context io_;
};

TEST_F(ProgramTest, GivesExitCodeAndBothOutputs) {
    const auto outcome = run_script("echo out; echo err >&2; exit 3");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->rc, 3);
    EXPECT_EQ(outcome->output, "out\nerr\n");
    EXPECT_FALSE(outcome->timed_out);
}

TEST_F(ProgramTest, ASignalGives128AndItsNumber) {
    const auto outcome = run_script("kill -9 $$");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->rc, 128 + SIGKILL);
}

TEST_F(ProgramTest, ArgumentsAreNotSeenByAShell) {
    ProgramCall call;
    call.arguments = {"/bin/echo", "$(id)", ";ls", "a b", "*"};
    const auto outcome = run(std::move(call));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "$(id) ;ls a b *\n");
}

TEST_F(ProgramTest, TheEnvironmentIsCleanAndTheFolderIsRoot) {
    ::setenv("TWINSITE_SECRET", "x", 1);
    const auto outcome = run_script("env; pwd; cat; ls /proc/self/fd");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output.find("TWINSITE_SECRET"), std::string::npos);
    EXPECT_NE(outcome->output.find("PATH="), std::string::npos);
    EXPECT_NE(outcome->output.find("\n/\n"), std::string::npos);
    // 0 to 2, and the one with which ls reads the folder: none of ours.
    EXPECT_TRUE(outcome->output.ends_with("0\n1\n2\n3\n")) << outcome->output;
}

TEST_F(ProgramTest, AProgramThatIsNotThereIsNeverStarted) {
    ProgramCall call;
    call.arguments = {"/nowhere/program"};
    const auto outcome = run(std::move(call));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().value(), ENOENT);
}

TEST_F(ProgramTest, OutputIsCutAt64KiBAndTheProgramGoesOn) {
    const auto outcome = run_script("head -c 1000000 /dev/zero | tr '\\0' x; exit 4");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->rc, 4);
    EXPECT_EQ(outcome->output.size(), 64U * 1024);
}

TEST_F(ProgramTest, AfterItsTimeTheWholeGroupIsAskedToEnd) {
    tests::TemporaryFolder folder;
    const auto outcome = run_script(
        "trap 'echo asked; exit 7' TERM; sleep 60 & echo $! > " + folder.file("pid") + "; wait",
        milliseconds(300)
    );
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->timed_out);
    EXPECT_EQ(outcome->rc, 7);
    EXPECT_EQ(outcome->output, "asked\n");
}

TEST_F(ProgramTest, WhoDoesNotEndIsKilledWithAllOfItsGroup) {
    tests::TemporaryFolder folder;
    const auto begun = std::chrono::steady_clock::now();
    const auto outcome = run_script(
        "trap '' TERM; (trap '' TERM; echo $$ > /dev/null; sleep 60) & echo $! > " +
            folder.file("pid") + "; sleep 60",
        milliseconds(200)
    );
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->timed_out);
    EXPECT_EQ(outcome->rc, 128 + SIGKILL);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(10));
    std::ifstream in(folder.file("pid"));
    pid_t child = 0;
    in >> child;
    ASSERT_GT(child, 0);
    // It is gone, or a zombie that nobody of ours can reap.
    const auto alive = [&] {
        std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
        std::string line;
        std::getline(stat, line);
        return !line.empty() && line.find(") Z") == std::string::npos;
    };
    for (int turn = 0; turn < 100 && alive(); ++turn) ::usleep(10'000);
    EXPECT_FALSE(alive());
}

TEST_F(ProgramTest, ABackgroundProgramDoesNotHoldUpTheResult) {
    const auto begun = std::chrono::steady_clock::now();
    const auto outcome = run_script("(sleep 3) & echo started");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "started\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2));
}

TEST_F(ProgramTest, AProgramOfOurOwnKnowsWhoItIs) {
    if (::geteuid() != 0) GTEST_SKIP() << "the names are those of root";
    const auto outcome = run_script("echo $HOME $USER $LOGNAME");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "/root root root\n");
}

TEST_F(ProgramTest, TellsWhoMayNotBeUsed) {
    EXPECT_EQ(find_user_problem(""), "");
    EXPECT_NE(find_user_problem("no-such-user-here"), "");
}

TEST_F(ProgramTest, RunsAsAnotherUserWithoutOurGroups) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    EXPECT_EQ(find_user_problem("nobody"), "") << "and keeps what it found";
    ProgramCall call;
    call.arguments = {"/usr/bin/id"};
    call.user = "nobody";
    const auto outcome = run(std::move(call));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output.find("(root)"), std::string::npos) << outcome->output;
    EXPECT_NE(outcome->output.find("(nobody)"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace twinsite::monitor::action
