// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "base/file/descriptor.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::monitor::action {
namespace {

namespace asio = boost::asio;
using base::Error;
using base::Result;
using base::file::Descriptor;
using std::chrono::milliseconds;

constexpr std::size_t kMaxOutput = wire::contract::kMaxOutputBytes;
constexpr milliseconds kStartLimit{10'000};
constexpr int kDescriptorsToKeep = 3;

Error system_error(int number) {
    return {number, boost::system::system_category()};
}

/// Who the program runs as. Known before the fork: afterwards only plain system calls are safe.
struct Account {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::string name;
    std::string home;
};

/// Ourselves, without asking anybody.
Account own_account() {
    Account out{::geteuid(), ::getegid(), {}, "", "/"};
    if (out.user == 0) {
        out.name = "root";
        out.home = "/root";
    }
    return out;
}

Result<Account> look_up(const std::string& name) {
    const passwd* found = ::getpwnam(name.c_str());
    if (found == nullptr) return system_error(ENOENT);
    Account out;
    out.user = found->pw_uid;
    out.group = found->pw_gid;
    out.name = found->pw_name;
    out.home = found->pw_dir;
    int count = 64;
    out.groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(found->pw_name, found->pw_gid, out.groups.data(), &count) < 0) {
        out.groups.resize(static_cast<std::size_t>(count));
        ::getgrouplist(found->pw_name, found->pw_gid, out.groups.data(), &count);
    }
    out.groups.resize(static_cast<std::size_t>(count));
    return out;
}

/// Accounts by name as they were when the actions were loaded. A look-up may ask a server in the
/// network: at the moment of a fault that must not hold up the loop.
std::map<std::string, Account>& known_accounts() {
    static std::map<std::string, Account> known;
    return known;
}

Result<Account> find_account(const std::string& name) {
    if (name.empty()) return own_account();
    const auto& known = known_accounts();
    const auto at = known.find(name);
    if (at != known.end()) return at->second;
    return look_up(name);
}

struct Pipe {
    Descriptor read;
    Descriptor write;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error(errno);
    Pipe out{Descriptor(ends[0]), Descriptor(ends[1])};
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// What the child needs, prepared before the fork.
struct Launch {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const Account* account = nullptr;
    bool switch_user = false;
    int null_input = -1;
    int output = -1;
    int report = -1;  ///< Gets errno when the program cannot be started; closed when it can.
};

bool become(const Account& account) {
    return ::setgroups(account.groups.size(), account.groups.data()) == 0 &&
           ::setgid(account.group) == 0 && ::setuid(account.user) == 0;
}

void reset_signals() {
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// In the child: only calls that are safe between fork and exec of a program with threads.
[[noreturn]] void become_program(const Launch& launch) {
    ::setpgid(0, 0);
    reset_signals();
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setpriority(PRIO_PROCESS, 0, 0);
    ::umask(022);
    bool good = ::chdir("/") == 0 && ::dup2(launch.null_input, STDIN_FILENO) >= 0 &&
                ::dup2(launch.output, STDOUT_FILENO) >= 0 &&
                ::dup2(launch.output, STDERR_FILENO) >= 0;
    // All our descriptors close on exec; this is for those of libraries that forgot.
    if (good && launch.report != kDescriptorsToKeep)
        good = ::dup2(launch.report, kDescriptorsToKeep) >= 0 &&
               ::fcntl(kDescriptorsToKeep, F_SETFD, FD_CLOEXEC) == 0;
    ::syscall(SYS_close_range, kDescriptorsToKeep + 1, ~0U, 0);
    if (good && launch.switch_user) good = become(*launch.account);
    if (good) ::execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
    const int failure = errno;
    [[maybe_unused]] const auto told = ::write(kDescriptorsToKeep, &failure, sizeof failure);
    ::_exit(127);
}

/// A started program; its whole group goes when this goes before its end was seen.
class Child {
public:
    Child(pid_t pid, Descriptor handle) : pid_(pid), handle_(std::move(handle)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (status_) return;
        signal(SIGKILL);
        ::waitpid(pid_, nullptr, WNOHANG);
    }

    void signal(int number) const { ::kill(-pid_, number); }
    int handle() const { return handle_.number(); }
    /// Its exit status if it has ended.
    const std::optional<int>& reap() {
        int status = 0;
        if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
        return status_;
    }

private:
    pid_t pid_;
    Descriptor handle_;  ///< A pidfd.
    std::optional<int> status_;
};

asio::awaitable<Result<void>> wait_for_end(asio::posix::stream_descriptor& handle) {
    const auto [failure] = co_await handle.async_wait(
        asio::posix::stream_descriptor::wait_read, base::async::as_result
    );
    if (failure) co_return failure;
    co_return Result<void>();
}

/// True when it ended within `limit`. It is not reaped yet, so its id and group are still its own.
asio::awaitable<bool> ended_within(asio::posix::stream_descriptor& handle, milliseconds limit) {
    auto waiting = wait_for_end(handle);
    const auto ended = co_await base::async::with_deadline(std::move(waiting), limit);
    co_return ended.has_value();
}

struct Output {
    Output(const asio::any_io_executor& executor, Descriptor end)
        : pipe(executor, ::dup(end.number())) {}

    asio::posix::stream_descriptor pipe;
    std::string text;

    void take(std::string_view bytes) { text += bytes.substr(0, kMaxOutput - text.size()); }
    /// What is there at once.
    void take_rest() {
        std::array<char, 4096> buffer;
        // A writer in the background could go on for ever: no more than fits is read.
        while (text.size() < kMaxOutput) {
            const auto size = ::read(pipe.native_handle(), buffer.data(), buffer.size());
            if (size <= 0) return;
            take({buffer.data(), static_cast<std::size_t>(size)});
        }
    }
};

/// Keeps reading beyond the cut, so that the program is not held up.
asio::awaitable<void> read_output(Output& output) {
    std::array<char, 4096> buffer;
    for (;;) {
        const auto space = asio::buffer(buffer);
        const auto [failure, size] =
            co_await output.pipe.async_read_some(space, base::async::as_result);
        if (failure) co_return;
        output.take({buffer.data(), size});
    }
}

struct StartReport {
    int failure = 0;  ///< 0 when the program was started, else the errno of why not.
};

asio::awaitable<Result<StartReport>> read_report(asio::posix::stream_descriptor& pipe) {
    int failure = 0;
    const auto space = asio::buffer(&failure, sizeof failure);
    const auto [error, size] = co_await pipe.async_read_some(space, base::async::as_result);
    if (error == asio::error::eof) co_return StartReport{};
    if (error) co_return error;
    co_return StartReport{size == sizeof failure ? failure : EIO};
}

int exit_code(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

std::vector<std::string> clean_environment(const Account& account) {
    return {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG=C.UTF-8",
        "HOME=" + account.home,
        "USER=" + account.name,
        "LOGNAME=" + account.name,
    };
}

struct Started {
    pid_t pid = -1;
    Descriptor handle;
    Descriptor output;
    Descriptor report;
};

Result<Started> start(ProgramCall& call) {
    auto account = find_account(call.user);
    if (!account) return account.error();
    auto output = make_pipe();
    if (!output) return output.error();
    auto report = make_pipe();
    if (!report) return report.error();
    const Descriptor null_input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null_input.is_open()) return system_error(errno);
    auto environment = clean_environment(*account);
    Launch launch;
    launch.arguments = pointers(call.arguments);
    launch.environment = pointers(environment);
    launch.account = &*account;
    launch.switch_user = !call.user.empty() && account->user != ::geteuid();
    launch.null_input = null_input.number();
    launch.output = output->write.number();
    launch.report = report->write.number();
    const pid_t pid = ::fork();
    if (pid < 0) return system_error(errno);
    if (pid == 0) become_program(launch);
    // Here as well: whoever comes first. A signal to the group must find it.
    ::setpgid(pid, pid);
    Started out;
    out.pid = pid;
    out.handle = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    out.output = std::move(output->read);
    out.report = std::move(report->read);
    return out;
}

}  // namespace

std::string find_user_problem(const std::string& user) {
    if (user.empty()) return {};
    known_accounts().erase(user);
    const auto account = look_up(user);
    if (!account) return "there is no user '" + user + "'";
    known_accounts()[user] = *account;
    if (account->user != ::geteuid() && ::geteuid() != 0)
        return "only root may run a program as '" + user + "'";
    return {};
}

asio::awaitable<Result<ProgramOutcome>> run_program(ProgramCall call) {
    const auto executor = co_await asio::this_coro::executor;
    auto started = start(call);
    if (!started) co_return started.error();
    Child child(started->pid, std::move(started->handle));
    if (child.handle() < 0) co_return system_error(ENOSYS);

    asio::posix::stream_descriptor report(executor, ::dup(started->report.number()));
    auto reading = read_report(report);
    const auto failure = co_await base::async::with_deadline(std::move(reading), kStartLimit);
    if (!failure) co_return failure.error();
    if (failure->failure != 0) {
        child.reap();
        co_return system_error(failure->failure);
    }

    Output output(executor, std::move(started->output));
    base::async::TaskGroup readers(executor);
    readers.start(read_output(output));
    asio::posix::stream_descriptor handle(executor, ::dup(child.handle()));
    ProgramOutcome out;
    bool ended = co_await ended_within(handle, call.timeout);
    if (!ended) {
        out.timed_out = true;
        child.signal(SIGTERM);
        ended = co_await ended_within(handle, call.grace);
        child.signal(SIGKILL);  // also what its leader left behind
        if (!ended) co_await ended_within(handle, call.grace);
    }
    readers.cancel();
    co_await readers.wait();
    output.take_rest();
    out.output = std::move(output.text);
    const auto& status = child.reap();
    out.rc = status ? exit_code(*status) : -1;
    co_return out;
}

}  // namespace twinsite::monitor::action
