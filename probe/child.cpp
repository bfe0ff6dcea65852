// SPDX-License-Identifier: Apache-2.0
#include "probe/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace twinsite::probe {

using base::Error;
using base::Result;
using base::file::Descriptor;

namespace {

Error system_error(int number) {
    return {number, boost::system::system_category()};
}

/// Killed, but not gone when we looked: a process that waits for a disk ends when the disk answers.
class Lingering {
public:
    void add(pid_t pid) {
        const std::lock_guard lock(mutex_);
        pids_.push_back(pid);
    }
    void reap() {
        const std::lock_guard lock(mutex_);
        std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
    }

private:
    std::mutex mutex_;
    std::vector<pid_t> pids_;
};
Lingering& lingering() {
    static Lingering all;
    return all;
}

/// What posix_spawn wants to know, with owners.
class Setup {
public:
    explicit Setup(int output) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
        check(::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0));
        check(::posix_spawn_file_actions_adddup2(&actions_, output, 1));
        check(::posix_spawn_file_actions_adddup2(&actions_, output, 2));
        check(::posix_spawn_file_actions_addclosefrom_np(&actions_, 3));
        check(::posix_spawn_file_actions_addchdir_np(&actions_, "/"));
        sigset_t signals;
        ::sigemptyset(&signals);
        check(::posix_spawnattr_setsigmask(&attributes_, &signals));
        ::sigfillset(&signals);
        check(::posix_spawnattr_setsigdefault(&attributes_, &signals));
        check(::posix_spawnattr_setpgroup(&attributes_, 0));
        constexpr int kFlags =
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        check(::posix_spawnattr_setflags(&attributes_, short{kFlags}));
    }
    ~Setup() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

    int problem() const { return problem_; }
    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    void check(int problem) {
        if (problem_ == 0) problem_ = problem;
    }
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
    int problem_ = 0;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

void kill_group(pid_t leader) {
    ::kill(-leader, SIGKILL);
}

/// SIGKILL ends a process at once, as a rule.
void reap_killed(pid_t pid) {
    for (int i = 0; i < 20; ++i) {
        if (::waitpid(pid, nullptr, WNOHANG) != 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    lingering().add(pid);
}

}  // namespace

Result<Child> Child::start(const Command& command) {
    lingering().reap();
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return system_error(errno);
    Descriptor output(pipe[0]);
    const Descriptor input(pipe[1]);
    const Setup setup(input.number());
    if (setup.problem() != 0) return system_error(setup.problem());
    auto words = command.words;
    auto environment = command.environment;
    pid_t pid = 0;
    const int failure = ::posix_spawn(
        &pid,
        words.front().c_str(),
        setup.actions(),
        setup.attributes(),
        pointers(words).data(),
        pointers(environment).data()
    );
    if (failure != 0) return system_error(failure);
    Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    Child child(pid, std::move(end), std::move(output));
    if (!child.end_.is_open()) return system_error(errno);
    return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      end_(std::move(other.end_)),
      output_(std::move(other.output_)) {}

/// Its group lives on while anybody is in it, also when the program itself has ended.
Child::~Child() {
    if (pid_ == 0) return;
    kill_group(pid_);
    reap_killed(pid_);
}

std::optional<int> Child::status() {
    siginfo_t info{};
    // Looks only: as long as it is not reaped, nobody else can get its number, nor its group's.
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return std::nullopt;
    if (info.si_pid == 0) return std::nullopt;
    return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

}  // namespace twinsite::probe
