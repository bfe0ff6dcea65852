// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/daemon/command_line.hpp"
#include "base/daemon/descriptor_limit.hpp"
#include "base/daemon/notify.hpp"
#include "base/error/result.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::daemon {

namespace asio = boost::asio;

namespace {

void print_findings(const std::vector<std::string>& findings) {
    for (const auto& finding : findings) std::fprintf(stderr, "%s\n", finding.c_str());
}

/// From start to end of a daemon that has its configuration.
class Life final : public Process {
public:
    Life(const Settings& settings, Program& program, Notifier notifier)
        : settings_(settings),
          program_(program),
          notifier_(std::move(notifier)),
          signals_(io_, SIGTERM, SIGINT, SIGHUP),
          drain_limit_(io_),
          watchdog_(io_) {}

    int run();

    asio::io_context& io() override { return io_; }
    void ready() override;
    void fail(std::string text) override;

private:
    bool start();
    bool loop();
    void await_signal();
    void on_signal(int signal);
    void reload();
    void drain(const char* cause);
    void beat(std::chrono::microseconds period);

    const Settings& settings_;
    Program& program_;
    const Notifier notifier_;
    asio::io_context io_{1};
    asio::signal_set signals_;
    asio::steady_timer drain_limit_;
    asio::steady_timer watchdog_;
    bool ready_ = false;
    bool draining_ = false;
    int exit_code_ = exit_ok;
};

int Life::run() {
    await_signal();  // before `start`: a signal while starting must not be lost
    const bool good = start() && loop();
    program_.stop();
    if (!good) exit_code_ = exit_failed;
    log::event(log::Level::info, "daemon_stopped", {{"exit_code", exit_code_}});
    return exit_code_;
}

bool Life::start() {
    log::event(
        log::Level::info,
        "daemon_starting",
        {{"program", settings_.name}, {"version", settings_.version}}
    );
    try {
        program_.start(*this);
    } catch (const std::exception& failure) {
        log::event(log::Level::error, "daemon_start_failed", {{"error", failure.what()}});
        return false;
    }
    if (const auto period = watchdog_period()) beat(*period);
    return true;
}

bool Life::loop() {
    try {
        io_.run();
        return true;
    } catch (const std::exception& failure) {
        log::event(log::Level::error, "daemon_failed", {{"error", failure.what()}});
        return false;
    }
}

void Life::ready() {
    if (ready_) return;
    ready_ = true;
    log::event(log::Level::info, "daemon_ready", {{"program", settings_.name}});
    if (!draining_) notifier_.ready();
}

void Life::fail(std::string text) {
    log::event(log::Level::error, "daemon_failed", {{"error", text}});
    exit_code_ = exit_failed;
    asio::post(io_, [this] {  // not here: the caller may be in the middle of starting
        if (!draining_) drain("failure");
    });
}

void Life::await_signal() {
    signals_.async_wait([this](const Error& failure, int signal) {
        if (failure) return;
        await_signal();
        on_signal(signal);
    });
}

void Life::on_signal(int signal) {
    if (signal == SIGHUP) {
        reload();
    } else if (!draining_) {
        drain(signal == SIGTERM ? "SIGTERM" : "SIGINT");
    } else {
        log::event(log::Level::warning, "daemon_stop_forced", {{"cause", "second signal"}});
        io_.stop();
    }
}

void Life::reload() {
    if (draining_) return;
    notifier_.reloading();
    program_.reload();
    if (ready_)
        notifier_.ready();  // also when the old configuration stays: we are as ready as before
}

void Life::drain(const char* cause) {
    draining_ = true;
    log::event(log::Level::info, "daemon_stopping", {{"cause", cause}});
    notifier_.stopping();
    drain_limit_.expires_after(settings_.drain_limit);
    drain_limit_.async_wait([this](const Error& failure) {
        if (failure) return;
        log::event(log::Level::warning, "daemon_stop_forced", {{"cause", "drain limit"}});
        io_.stop();
    });
    program_.drain([this] { io_.stop(); });
}

void Life::beat(std::chrono::microseconds period) {
    notifier_.watchdog();
    watchdog_.expires_after(period);
    watchdog_.async_wait([this, period](const Error& failure) {
        if (!failure) beat(period);
    });
}

int check(const std::string& file, Program& program) {
    const auto findings = program.load(file);
    print_findings(findings);
    return findings.empty() ? exit_ok : exit_usage;
}

}  // namespace

int run(int argc, char** argv, const Settings& settings, Program& program) {
    const auto command = parse_command_line(argc, argv, settings);
    if (command.action == Command::Action::leave) {
        std::fputs(command.output.c_str(), command.exit_code == exit_ok ? stdout : stderr);
        return command.exit_code;
    }
    log::configure(command.log_format, command.log_level);
    if (const int code = check(command.file, program); code != exit_ok) return code;
    if (command.action == Command::Action::check) return exit_ok;
    std::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error value of the write
    raise_descriptor_limit();
    ::umask(027);  // nothing that we create is for everybody
    Life life(settings, program, Notifier::from_environment());
    return life.run();
}

}  // namespace twinsite::base::daemon
