// SPDX-License-Identifier: Apache-2.0
#include "probe/external.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;

class ExternalProbeTest : public testing::Test {
protected:
    std::string script(const std::string& name, const std::string& lines, mode_t mode = 0755)
        const {
        const auto path = folder_.file(name);
        std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
        ::chmod(path.c_str(), mode);
        return path;
    }
    static Outcome run(std::vector<std::string> command, std::chrono::milliseconds limit = 10s) {
        const base::net::Endpoint at{base::text::IpAddress::from_v4(0xC0000201), 8080};
        ExternalProbe probe({at}, {std::move(command)});
        boost::asio::io_context io;
        return tests::run_to_end(io, probe.run(limit));
    }
    std::string text_of(const std::string& name) const {
        std::ifstream in(folder_.file(name));
        std::string out;
        std::getline(in, out);
        return out;
    }
    tests::TemporaryFolder folder_;
};

TEST_F(ExternalProbeTest, TheExitStatusDecides) {
    EXPECT_TRUE(run({"/bin/true"}).ok);
    EXPECT_EQ(run({"/bin/false"}).error, "exit status 1");
    EXPECT_EQ(run({script("bad", "echo no database; exit 3")}).error, "exit status 3: no database");
    EXPECT_EQ(run({script("shot", "kill -TERM $$")}).error, "ended by signal 15");
}

TEST_F(ExternalProbeTest, ArgumentsArePassedAsTheyAreWithoutAShell) {
    const auto outcome = run({script("echo", "printf '%s|' \"$@\""), "a b", "$HOME", "; exit 1"});
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_EQ(outcome.note, "a b|$HOME|; exit 1|");
}

TEST_F(ExternalProbeTest, HasOnlyItsOwnEnvironmentAndFiles) {
    ::setenv("TWINSITE_TEST_SECRET", "x", 1);
    const auto env = run({"/usr/bin/env"});
    EXPECT_EQ(env.note.find("SECRET"), std::string::npos) << env.note;
    EXPECT_NE(env.note.find("TWINSITE_ADDRESS=192.0.2.1"), std::string::npos);
    EXPECT_NE(env.note.find("TWINSITE_PORT=8080"), std::string::npos);
    std::FILE* open = std::fopen("/dev/null", "r");  // inheritable
    const auto files = run({script("files", "cd /proc/self/fd; echo *; pwd -P >&2; cat")});
    std::fclose(open);
    EXPECT_EQ(files.note.find(" 4"), std::string::npos) << files.note;
}

TEST_F(ExternalProbeTest, ATimeOutKillsTheWholeGroup) {
    const auto slow =
        script("slow", "sleep 1000 & echo $! > " + folder_.file("child") + "\necho started\nwait");
    const auto started = std::chrono::steady_clock::now();
    const auto outcome = run({slow}, 500ms);
    EXPECT_LT(std::chrono::steady_clock::now() - started, 5s);
    EXPECT_FALSE(outcome.ok);
    EXPECT_FALSE(outcome.local_fault);
    EXPECT_EQ(outcome.error, "timed out: started");
    const auto child = std::stoi(text_of("child"));
    // Killed; gone when its new parent has noticed, or for ever a zombie where nobody does.
    const auto gone = [child] {
        std::ifstream status("/proc/" + std::to_string(child) + "/stat");
        std::string text;
        std::getline(status, text);
        return text.empty() || text.find(") Z ") != std::string::npos;
    };
    for (int i = 0; i < 500 && !gone(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(gone());
}

TEST_F(ExternalProbeTest, WhoeverItLeavesBehindIsKilledToo) {
    const auto outcome =
        run({script("fork", "sleep 1000 & echo $! > " + folder_.file("left") + "\nexit 0")});
    EXPECT_TRUE(outcome.ok) << outcome.error;
    const auto left = std::stoi(text_of("left"));
    const auto gone = [left] {
        std::ifstream status("/proc/" + std::to_string(left) + "/stat");
        std::string text;
        std::getline(status, text);
        return text.empty() || text.find(") Z ") != std::string::npos;
    };
    for (int i = 0; i < 500 && !gone(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(gone());
}

TEST_F(ExternalProbeTest, MuchOutputNeitherBlocksItNorIsKept) {
    const auto outcome = run({script("talker", "yes | head -c 1000000")});
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_LE(outcome.note.size(), 5 * ExternalProbe::kOutputBytes);
}

TEST_F(ExternalProbeTest, RunsNothingThatOthersCanChange) {
    for (const auto mode : {mode_t{0757}, mode_t{0777}}) {
        const auto outcome = run({script("open", "exit 0", mode)});
        EXPECT_TRUE(outcome.local_fault) << outcome.error;
        EXPECT_NE(outcome.error.find("can be written to"), std::string::npos) << outcome.error;
    }
    EXPECT_TRUE(run({folder_.file("none")}).local_fault);
    EXPECT_TRUE(run({script("plain", "exit 0", 0644)}).local_fault);
}

}  // namespace
}  // namespace twinsite::probe
