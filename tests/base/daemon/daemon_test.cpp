// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"

#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::daemon {
namespace {

using namespace std::chrono_literals;

/// A program whose behaviour is its configuration's name; each call leaves a line on stdout.
class Scripted final : public Program {
public:
    std::vector<std::string> load(const std::string& path) override {
        mode_ = path;
        if (path == "bad") return {"bad:1:2: $.a: is wrong", "bad:3:4: $.b: is wrong too"};
        return {};
    }
    void start(Process& process) override {
        say("start");
        if (mode_ == "fails-to-start") throw StartError("no such address");
        if (mode_ == "fails-later") process.fail("the disk is gone");
        if (mode_ == "writes-to-a-closed-pipe") write_to_closed_pipe();
        process.ready();
        process.ready();
    }
    void reload() override { say("reload"); }
    void drain(std::function<void()> drained) override {
        say("drain");
        if (mode_ == "never-drained")
            kept_ = std::move(drained);
        else
            drained();
    }
    void stop() override { say("stop"); }

private:
    static void say(const std::string& word) {
        std::printf("%s\n", word.c_str());
        std::fflush(stdout);
    }
    static void write_to_closed_pipe() {
        int ends[2];
        if (::pipe(ends) != 0) return;
        ::close(ends[0]);
        if (::write(ends[1], "x", 1) < 0 && errno == EPIPE) say("survived SIGPIPE");
        ::close(ends[1]);
        const auto mask = ::umask(0);
        if (mask == 027) say("umask 027");
    }

    std::string mode_;
    std::function<void()> kept_;
};

/// What the service manager would see.
class Manager {
public:
    explicit Manager(const std::string& path) {
        handle_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::memcpy(at.sun_path, path.data(), path.size());
        EXPECT_EQ(::bind(handle_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    }
    ~Manager() { ::close(handle_); }
    /// The next message; "" when none comes within 10 s.
    std::string next() const {
        pollfd wait{handle_, POLLIN, 0};
        if (::poll(&wait, 1, 10'000) != 1) return {};
        char buffer[512];
        const auto size = ::recv(handle_, buffer, sizeof buffer, 0);
        return {buffer, static_cast<std::size_t>(size > 0 ? size : 0)};
    }

private:
    int handle_;
};

std::string read_all(int handle) {
    std::string out;
    char buffer[4096];
    for (ssize_t size = 0; (size = ::read(handle, buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(size));
    ::close(handle);
    return out;
}

/// A daemon in a child process.
class Child {
public:
    explicit Child(
        std::vector<std::string> arguments, std::chrono::milliseconds drain_limit = 10s
    ) {
        int out[2];
        int err[2];
        EXPECT_EQ(::pipe(out) + ::pipe(err), 0);
        std::fflush(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(out[1], STDOUT_FILENO);
            ::dup2(err[1], STDERR_FILENO);
            for (const int end : {out[0], out[1], err[0], err[1]}) ::close(end);
            arguments.insert(arguments.begin(), "program");
            std::vector<char*> argv;
            for (auto& argument : arguments) argv.push_back(argument.data());
            Scripted program;
            const Settings settings{"twinsite-test", "A test.", "9.8.7", drain_limit};
            const int code = run(static_cast<int>(argv.size()), argv.data(), settings, program);
            std::fflush(nullptr);
            ::_exit(code);
        }
        ::close(out[1]);
        ::close(err[1]);
        out_ = out[0];
        err_ = err[0];
    }
    void signal(int number) const { ::kill(pid_, number); }
    /// Its exit code, or minus the signal that ended it; stdout and stderr are then there.
    int wait() {
        output = read_all(out_);
        errors = read_all(err_);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    std::string output;
    std::string errors;

private:
    pid_t pid_;
    int out_;
    int err_;
};

class Daemon : public testing::Test {
protected:
    Daemon() { ::setenv("NOTIFY_SOCKET", path_.c_str(), 1); }
    ~Daemon() override {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
    }
    tests::TemporaryFolder folder_;
    std::string path_ = folder_.file("notify");
    Manager manager_{path_};
};

TEST_F(Daemon, CheckPrintsEveryFindingAndExits2) {
    Child child({"--check", "bad"});
    EXPECT_EQ(child.wait(), 2);
    EXPECT_EQ(child.errors, "bad:1:2: $.a: is wrong\nbad:3:4: $.b: is wrong too\n");
    EXPECT_EQ(child.output, "");
}

TEST_F(Daemon, CheckOfAGoodFileStartsNothing) {
    Child child({"--check", "good"});
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output + child.errors, "");
}

TEST_F(Daemon, ABadConfigurationIsNotServed) {
    Child child({"--config", "bad"});
    EXPECT_EQ(child.wait(), 2);
    EXPECT_EQ(child.output, "");
}

TEST_F(Daemon, VersionAndHelpGoToStandardOutput) {
    Child version({"--version"});
    EXPECT_EQ(version.wait(), 0);
    EXPECT_EQ(version.output, "twinsite-test 9.8.7\n");
    Child help({"--help"});
    EXPECT_EQ(help.wait(), 0);
    EXPECT_NE(help.output.find("--log-format"), std::string::npos);
}

TEST_F(Daemon, AWrongCommandLineExits2) {
    const std::vector<std::vector<std::string>> wrong{
        {},
        {"--nonsense"},
        {"--config"},
        {"--config", "good", "--check", "good"},
        {"--config", "good", "--log-level", "loud"},
        {"--config", "good", "--log-format", "xml"},
        {"--config", "good", "extra"},
    };
    for (const auto& arguments : wrong) {
        Child child(arguments);
        EXPECT_EQ(child.wait(), 2);
        EXPECT_NE(child.errors, "");
        EXPECT_EQ(child.output, "");
    }
}

TEST_F(Daemon, TellsTheManagerEachStepFromStartToStop) {
    Child child({"--config", "good"});
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGHUP);
    const auto reloading = manager_.next();
    EXPECT_TRUE(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC=")) << reloading;
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGTERM);
    EXPECT_EQ(manager_.next(), "STOPPING=1");
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output, "start\nreload\ndrain\nstop\n");
    EXPECT_NE(child.errors.find("daemon_stopping cause=SIGTERM"), std::string::npos);
}

TEST_F(Daemon, SigintStopsGracefullyToo) {
    Child child({"--config", "good", "--log-format", "json"});
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGINT);
    EXPECT_EQ(child.wait(), 0);
    EXPECT_NE(child.errors.find(R"("cause":"SIGINT")"), std::string::npos) << child.errors;
}

TEST_F(Daemon, ADrainThatTakesTooLongIsCutShort) {
    Child child({"--config", "never-drained"}, 50ms);
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGTERM);
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output, "start\ndrain\nstop\n");
    EXPECT_NE(child.errors.find("daemon_stop_forced cause=\"drain limit\""), std::string::npos)
        << child.errors;
}

TEST_F(Daemon, ASecondSignalStopsAtOnce) {
    Child child({"--config", "never-drained"}, 60s);
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGTERM);
    EXPECT_EQ(manager_.next(), "STOPPING=1");
    child.signal(SIGINT);
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output, "start\ndrain\nstop\n");
}

TEST_F(Daemon, AStartThatFailsExits1AndStillCleansUp) {
    Child child({"--config", "fails-to-start"});
    EXPECT_EQ(child.wait(), 1);
    EXPECT_EQ(child.output, "start\nstop\n");
    EXPECT_NE(child.errors.find("no such address"), std::string::npos);
}

TEST_F(Daemon, AFailureLaterDrainsAndExits1) {
    Child child({"--config", "fails-later"});
    EXPECT_EQ(child.wait(), 1);
    EXPECT_EQ(child.output, "start\ndrain\nstop\n");
    EXPECT_NE(child.errors.find("the disk is gone"), std::string::npos);
}

TEST_F(Daemon, SendsSignsOfLifeWhenTheManagerWantsThem) {
    ::setenv("WATCHDOG_USEC", "20000", 1);
    Child child({"--config", "good"});
    int beats = 0;
    for (int i = 0; i < 6; ++i) beats += manager_.next() == "WATCHDOG=1";
    EXPECT_GE(beats, 5);
    child.signal(SIGTERM);
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(Daemon, IgnoresSigpipeAndKeepsItsFilesPrivate) {
    Child child({"--config", "writes-to-a-closed-pipe"});
    EXPECT_EQ(manager_.next(), "READY=1");
    child.signal(SIGTERM);
    EXPECT_EQ(child.wait(), 0);
    EXPECT_NE(child.output.find("survived SIGPIPE\numask 027\n"), std::string::npos)
        << child.output;
}

}  // namespace
}  // namespace twinsite::base::daemon
