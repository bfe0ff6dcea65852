// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli::demo {
namespace {

base::Error last_error() {
    return {errno, boost::system::system_category()};
}

struct Stat {
    char state = '?';
    std::uint64_t start_time = 0;
};

// The name in field 2 may hold blanks and brackets, so fields are counted from the last ')'.
std::optional<Stat> read_stat(pid_t pid) {
    // The process may end between open and read: then the read fails.
    const auto read = base::file::read_state_file("/proc/" + std::to_string(pid) + "/stat");
    if (!read || !*read) return std::nullopt;
    const std::string& line = **read;
    const auto end_of_name = line.rfind(')');
    if (end_of_name == std::string::npos) return std::nullopt;
    const auto fields = base::text::words(std::string_view(line).substr(end_of_name + 1));
    constexpr std::size_t kStartTime = 22 - 3;  // fields[0] is field 3, the state
    if (fields.size() <= kStartTime) return std::nullopt;
    const auto start = base::text::parse_number<std::uint64_t>(fields[kStartTime]);
    if (!start) return std::nullopt;
    return Stat{fields[0].front(), *start};
}

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, int log, int failure_pipe) {
    setsid();
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    execv(arguments[0], arguments);
    const int failure = errno;
    [[maybe_unused]] const auto written = write(failure_pipe, &failure, sizeof failure);
    _exit(127);
}

// The pipe closes by itself when the program is running; otherwise it brings errno.
base::Result<Record> after_exec(pid_t pid, int failure_pipe) {
    int failure = 0;
    const auto got = read(failure_pipe, &failure, sizeof failure);
    if (got == static_cast<ssize_t>(sizeof failure)) {
        waitpid(pid, nullptr, 0);
        return base::Error(failure, boost::system::system_category());
    }
    if (const auto record = observe(pid)) return *record;
    return base::Error(ESRCH, boost::system::system_category());
}

}  // namespace

std::optional<Record> read_record(const std::filesystem::path& path) {
    const auto text = base::file::read_state_file(path);
    if (!text || !*text) return std::nullopt;
    const auto value = output::parse_body(**text);
    const auto pid = base::text::parse_number<pid_t>(output::text_at(value, "pid"));
    const auto start =
        base::text::parse_number<std::uint64_t>(output::text_at(value, "start_time"));
    // 0, 1 and negative numbers would address groups, init or everybody.
    if (!pid || *pid <= 1 || !start) return std::nullopt;
    return Record{*pid, *start};
}

base::Result<void> write_record(const std::filesystem::path& path, const Record& record) {
    boost::json::object out;
    out["pid"] = record.pid;
    out["start_time"] = record.start_time;
    const auto fresh = path.string() + ".new";
    std::ofstream to(fresh, std::ios::trunc);
    to << boost::json::serialize(out) << '\n';
    to.close();
    if (!to) return base::Error(EIO, boost::system::system_category());
    std::error_code failed;
    std::filesystem::rename(fresh, path, failed);
    if (failed) return base::Error(failed.value(), boost::system::system_category());
    return {};
}

std::optional<Record> observe(pid_t pid) {
    const auto stat = read_stat(pid);
    if (!stat) return std::nullopt;
    return Record{pid, stat->start_time};
}

Life life_of(const Record& record) {
    const auto stat = read_stat(record.pid);
    if (!stat || stat->start_time != record.start_time) return Life::dead;
    switch (stat->state) {
        case 'Z':
        case 'X':
            return Life::dead;
        case 'T':
        case 't':
            return Life::stopped;
        default:
            return Life::running;
    }
}

base::Result<Record> launch(
    const std::vector<std::string>& command, const std::filesystem::path& log
) {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    const int to_log = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (to_log < 0) return last_error();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        const auto failed = last_error();
        close(to_log);
        return failed;
    }
    const pid_t pid = fork();
    const auto fork_error = last_error();
    if (pid == 0) become(arguments.data(), to_log, ends[1]);
    close(ends[1]);
    close(to_log);
    base::Result<Record> out = fork_error;
    if (pid > 0) out = after_exec(pid, ends[0]);
    close(ends[0]);
    return out;
}

bool send(const Record& record, int signal) {
    // A descriptor pins the process: between the look and the kill nobody else can get the number.
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, record.pid, 0));
    if (handle < 0) return false;
    const bool same = life_of(record) != Life::dead;
    const bool sent = same && syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0) == 0;
    close(handle);
    return sent;
}

bool wait_for_death(const Record& record, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        // Ours when this very command started it; then it must be taken from the kernel's table.
        waitpid(record.pid, nullptr, WNOHANG);
        if (life_of(record) == Life::dead) return true;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now()
        );
        if (left.count() <= 0) return false;
        // Without a descriptor (the process went just now, or we have no more) this is a pause.
        pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, record.pid, 0)), POLLIN, 0};
        poll(&ended, 1, static_cast<int>(std::min<long long>(left.count(), 50)));
        if (ended.fd >= 0) close(ended.fd);
    }
}

}  // namespace twinsite::cli::demo
