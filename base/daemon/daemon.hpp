// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

/// What all daemons share: command line, signals, readiness, reload, exit codes.
namespace twinsite::base::daemon {

/// Exit codes of all programs of the suite.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,  ///< Bad command line or configuration.
    exit_unreachable = 3,
    exit_refused = 4,
    exit_timed_out = 5,
};

/// Thrown by Program::start; its text goes to the log and the exit code is 1.
class StartError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The process as its program sees it. Used on the main thread only.
class Process {
public:
    virtual ~Process() = default;
    virtual boost::asio::io_context& io() = 0;
    /// Everything is up: tells the service manager. Only the first call counts.
    virtual void ready() = 0;
    /// Something broke that cannot be mended: logs `text`, drains, exit code 1.
    virtual void fail(std::string text) = 0;
};

/// The work of one daemon. All calls come from the thread that called `run`, in this order:
/// load, start, then any number of reload, then drain, then stop.
class Program {
public:
    virtual ~Program() = default;

    /// Reads and checks the configuration and keeps it for `start`. Each finding is a line
    /// "file:line:column: $.path: text"; none means that it is good. `--check` does only this,
    /// so it must open no socket and start no thread.
    virtual std::vector<std::string> load(const std::string& path) = 0;
    /// Builds and starts everything from what `load` read, and returns. Calls `process.ready()`
    /// when the service is answering, at once or later. Throws StartError. `process` lives
    /// until after `stop`.
    virtual void start(Process& process) = 0;
    /// SIGHUP. Good: use the new configuration. Findings: keep the old one. Logs which.
    virtual void reload() = 0;
    /// SIGTERM or SIGINT: accept nothing new, finish what runs, then call `drained`. After
    /// Settings::drain_limit, or at a second signal, it is not waited for any longer.
    virtual void drain(std::function<void()> drained) = 0;
    /// Destroy everything that uses `process.io()`: the event loop does not run again, and is gone
    /// when `run` returns. Comes after every `start`, also one that threw.
    virtual void stop() = 0;
};

struct Settings {
    std::string name;  ///< "twinsite-gslb"
    std::string description;
    std::string version;
    std::chrono::milliseconds drain_limit{10'000};
};

/// The whole life of a daemon's process; returns its exit code.
/// Command line: --config FILE | --check FILE | --version, --log-format text|json,
/// --log-level debug|info|warning|error.
int run(int argc, char** argv, const Settings& settings, Program& program);

}  // namespace twinsite::base::daemon
