// SPDX-License-Identifier: Apache-2.0
// Against a table of processes that the test writes, and against real processes of this machine.
#include "monitor/collect/process_table.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::collect {
namespace {

namespace fs = std::filesystem;

ProcessConfig by_cmdline(const std::string& regex) {
    ProcessConfig out;
    out.name = "p";
    out.cmdline = regex;
    return out;
}

ProcessConfig by_exe(const std::string& exe) {
    ProcessConfig out;
    out.name = "p";
    out.exe = exe;
    return out;
}

ProcessConfig by_pidfile(const std::string& file) {
    ProcessConfig out;
    out.name = "p";
    out.pidfile = file;
    return out;
}

class FakeProc {
public:
    FakeProc() {
        file("1/stat", stat(1, "init", 'S', 1));
        file("stat", "cpu 1\nbtime 1000000000\n");
    }
    std::string path() const { return folder_.path(); }
    void process(int pid, const std::string& name, char state, long start, std::string cmdline) {
        std::replace(cmdline.begin(), cmdline.end(), ' ', '\0');
        file(std::to_string(pid) + "/stat", stat(pid, name, state, start));
        file(std::to_string(pid) + "/cmdline", cmdline + '\0');
        const auto link = fs::path(folder_.path()) / std::to_string(pid) / "exe";
        if (!fs::is_symlink(link)) fs::create_symlink("/usr/sbin/" + name, link);
    }
    void end(int pid) { fs::remove_all(fs::path(folder_.path()) / std::to_string(pid)); }
    void file(const std::string& name, const std::string& text) {
        const auto whole = fs::path(folder_.path()) / name;
        fs::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
    }
    static std::string stat(int pid, const std::string& name, char state, long start) {
        return std::to_string(pid) + " (" + name + ") " + state +
               " 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " + std::to_string(start) + " 0 0\n";
    }

private:
    tests::TemporaryFolder folder_;
};

TEST(ProcessTable, TheWholeCommandLineMustMatch) {
    FakeProc proc;
    proc.process(7, "ocs", 'S', 50, "/usr/sbin/ocs --site east");
    ProcessTable part({by_cmdline("ocs")}, proc.path());
    part.refresh(true);
    EXPECT_TRUE(part.found(0).instances.empty());
    ProcessTable whole({by_cmdline("/usr/sbin/ocs --site (east|west)")}, proc.path());
    whole.refresh(true);
    ASSERT_EQ(whole.found(0).instances.size(), 1U);
    EXPECT_EQ(whole.found(0).instances[0].identity.pid, 7);
}

// M-T11
TEST(ProcessTable, ANumberThatAnotherProgramGotIsNotOurs) {
    FakeProc proc;
    proc.process(7, "ocs", 'S', 50, "/usr/sbin/ocs");
    ProcessTable table({by_exe("/usr/sbin/ocs")}, proc.path());
    table.refresh(true);
    ASSERT_EQ(table.found(0).instances.size(), 1U);
    proc.end(7);
    proc.process(7, "cron", 'S', 90, "/usr/sbin/cron");
    table.refresh(false);
    EXPECT_TRUE(table.found(0).instances.empty());
}

TEST(ProcessTable, AProcessThatRunsAnotherProgramNowIsNotOurs) {
    FakeProc proc;
    proc.process(7, "ocs", 'S', 50, "/usr/sbin/ocs");
    ProcessTable table({by_exe("/usr/sbin/ocs")}, proc.path());
    table.refresh(true);
    proc.end(7);
    proc.process(7, "sh", 'S', 50, "/usr/sbin/sh");  // number and start are the same
    table.refresh(true);
    EXPECT_TRUE(table.found(0).instances.empty());
}

// M-T11
TEST(ProcessTable, AStalePidfileNamesNobody) {
    FakeProc proc;
    // 100 ticks a second: started 5000 s after boot, which was at 1,000,000,000.
    proc.process(7, "cron", 'S', 500'000, "/usr/sbin/cron");
    proc.file("ocs.pid", "7\n");
    const auto file = proc.path() + "/ocs.pid";
    const auto at = [&](long wall_s) {
        const timespec times[2] = {{wall_s, 0}, {wall_s, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    };
    at(1'000'001'000);  // written before that process began
    ProcessTable stale({by_pidfile(file)}, proc.path());
    stale.refresh(true);
    EXPECT_TRUE(stale.found(0).instances.empty());
    at(1'000'006'000);
    ProcessTable good({by_pidfile(file)}, proc.path());
    good.refresh(true);
    ASSERT_EQ(good.found(0).instances.size(), 1U);
    good.refresh(false);
    EXPECT_EQ(good.found(0).instances.size(), 1U);
    proc.file("ocs.pid", "no number\n");
    good.refresh(false);
    EXPECT_TRUE(good.found(0).instances.empty());
}

TEST(ProcessTable, APidfileIsBelievedAfterTheWallClockWasSet) {
    FakeProc proc;
    proc.file("ocs.pid", "7\n");
    const auto file = proc.path() + "/ocs.pid";
    ProcessTable table({by_pidfile(file)}, proc.path());
    table.refresh(true);
    EXPECT_TRUE(table.found(0).instances.empty());
    // An hour back; then the process begins and writes its file.
    proc.file("stat", "cpu 1\nbtime 999996400\n");
    proc.process(7, "ocs", 'S', 500'000, "/usr/sbin/ocs");
    const timespec written[2] = {{999'996'400 + 5'001, 0}, {999'996'400 + 5'001, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), written, 0), 0);
    table.refresh(false);
    EXPECT_EQ(table.found(0).instances.size(), 1U);
}

TEST(ProcessTable, ALeaderThatEndedIsKnownByItsIdentity) {
    FakeProc proc;
    proc.process(7, "ocs", 'S', 50, "/usr/sbin/ocs");
    ProcessTable table({by_exe("/usr/sbin/ocs")}, proc.path());
    table.refresh(true);
    proc.file("7/stat", FakeProc::stat(7, "ocs", 'Z', 50));
    proc.file("7/cmdline", "");
    fs::remove(proc.path() + "/7/exe");
    proc.file("7/task/7/stat", FakeProc::stat(7, "ocs", 'Z', 50));
    table.refresh(true);
    ASSERT_EQ(table.found(0).instances.size(), 1U);
    EXPECT_FALSE(table.found(0).instances[0].thread_alive);
    proc.file("7/task/8/stat", FakeProc::stat(8, "worker", 'S', 60));
    table.refresh(true);
    ASSERT_EQ(table.found(0).instances.size(), 1U);
    EXPECT_TRUE(table.found(0).instances[0].thread_alive);
}

TEST(ProcessTable, ATableWithoutTheFirstProcessIsHidden) {
    FakeProc proc;
    proc.end(1);
    ProcessTable table({by_exe("/usr/sbin/ocs")}, proc.path());
    table.refresh(true);
    EXPECT_TRUE(table.found(0).hidden);
}

TEST(ProcessTable, AVeryLongCommandLineIsHarmless) {
    FakeProc proc;
    proc.process(7, "ocs", 'S', 50, std::string(200'000, 'a'));
    ProcessTable table({by_cmdline("(a|b)*")}, proc.path());
    table.refresh(true);
    EXPECT_LE(table.found(0).instances.size(), 1U);
}

/// A child of this test, ended by its number.
class Child {
public:
    Child() : pid_(::fork()) {
        if (pid_ != 0) return;
        ::pause();
        ::_exit(0);
    }
    ~Child() {
        if (pid_ > 0 && !reaped_) end();
    }
    pid_t pid() const { return pid_; }
    void kill() const { ::kill(pid_, SIGKILL); }
    void wait_for_zombie() const {
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
    }
    void end() {
        kill();
        ::waitpid(pid_, nullptr, 0);
        reaped_ = true;
    }

private:
    pid_t pid_;
    bool reaped_ = false;
};

// M-T11, for real.
TEST(ProcessTable, ARealProcessIsFoundIsAZombieIsGone) {
    tests::TemporaryFolder folder;
    Child child;
    ASSERT_GT(child.pid(), 0);
    const auto file = folder.file("child.pid");
    std::ofstream(file) << child.pid() << "\n";
    ProcessTable table({by_pidfile(file)});
    ProcessWatch watch(1, 1, std::chrono::seconds(60));
    const auto look = [&] {
        table.refresh(false);
        const auto& found = table.found(0);
        return watch.look(found.instances, found.hidden, std::chrono::steady_clock::now()).state;
    };
    EXPECT_EQ(look(), ProcessState::up);
    child.kill();
    child.wait_for_zombie();
    EXPECT_EQ(look(), ProcessState::down);
    child.end();
    EXPECT_EQ(look(), ProcessState::down);
}

}  // namespace
}  // namespace twinsite::monitor::collect
