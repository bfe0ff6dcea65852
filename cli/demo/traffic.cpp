// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/traffic.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <random>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "cli/demo/element.hpp"
#include "cli/demo/place.hpp"
#include "cli/demo/traffic_report.hpp"

namespace twinsite::cli::demo {

namespace asio = boost::asio;
using asio::awaitable;
using base::async::as_result;
using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 5ms;
constexpr auto kFinishLimit = 2s;  ///< For the open sessions to come to their end.
constexpr auto kLeaveLimit = 500ms;

/// All elements of one run, their clockwork and their report. One thread.
class Run {
public:
    Run(const Layout& layout, const TrafficOptions& wanted, TrafficReport& report);
    ExitCode go();

private:
    void add_element(const Layout& layout, const std::string& site, int rate);
    awaitable<void> work();
    awaitable<void> listen_for_signals();
    awaitable<void> tick_until(Time end);
    awaitable<bool> pause();
    void report_second(Time now);
    bool all_finished() const;

    const std::chrono::seconds length_;
    TrafficReport& report_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_, SIGINT, SIGTERM};
    asio::steady_timer timer_{io_};
    std::vector<std::unique_ptr<Element>> elements_;
    base::async::TaskGroup tasks_{io_.get_executor()};
    bool interrupted_ = false;
    std::optional<Time> next_report_;
};

Run::Run(const Layout& layout, const TrafficOptions& wanted, TrafficReport& report)
    // A day is longer than anybody watches, and keeps the arithmetic of times simple.
    : length_(wanted.seconds > 0 ? wanted.seconds : 86'400), report_(report) {
    for (const auto site : kSites)
        if (wanted.site == "both" || wanted.site == site)
            add_element(layout, std::string(site), wanted.rate);
}

void Run::add_element(const Layout& layout, const std::string& site, int rate) {
    Element::Config config;
    config.site = site;
    config.client = *base::text::parse_ip(client_address(site));
    config.rate = rate;
    config.seed = std::random_device{}();
    const auto other = site == kSites[0] ? kSites[1] : kSites[0];
    for (const auto& at : {layout.gslb_address(site), layout.gslb_address(other)})
        config.name_servers.push_back({*base::text::parse_ip(at), kDnsPort});
    elements_.push_back(std::make_unique<Element>(
        io_.get_executor(),
        config,
        [this, site](const std::string& text) { report_.note(site, text); },
        [this, site](const Outage& outage) { report_.outage(site, outage); }
    ));
}

ExitCode Run::go() {
    tasks_.start(listen_for_signals());
    for (auto& element : elements_) tasks_.start(element->run());
    tasks_.start(work());
    io_.run();
    bool good = true;
    for (auto& element : elements_) good &= report_.summary(*element);
    return good ? ExitCode::exit_ok : ExitCode::exit_failed;
}

awaitable<void> Run::listen_for_signals() {
    const auto [failure, number] = co_await signals_.async_wait(as_result);
    static_cast<void>(number);
    if (!failure) interrupted_ = true;
}

// False when the timer was cancelled.
awaitable<bool> Run::pause() {
    timer_.expires_after(kTick);
    const auto [failure] = co_await timer_.async_wait(as_result);
    co_return !failure;
}

bool Run::all_finished() const {
    return std::all_of(elements_.begin(), elements_.end(), [](const auto& element) {
        return element->finished();
    });
}

void Run::report_second(Time now) {
    if (!next_report_) next_report_ = now + 1s;
    if (now < *next_report_) return;
    *next_report_ += 1s;
    for (auto& element : elements_) report_.second(*element);
}

awaitable<void> Run::tick_until(Time end) {
    for (;;) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= end || all_finished()) co_return;
        for (auto& element : elements_) element->tick(now);
        const bool going_on = co_await pause();
        if (!going_on) co_return;
    }
}

awaitable<void> Run::work() {
    const auto end = std::chrono::steady_clock::now() + length_;
    for (;;) {
        const auto now = std::chrono::steady_clock::now();
        if (interrupted_ || now >= end) break;
        for (auto& element : elements_) element->tick(now);
        report_second(now);
        const bool going_on = co_await pause();
        if (!going_on) break;
    }
    report_.end_of_run(std::chrono::steady_clock::now());
    for (auto& element : elements_) element->finish();
    co_await tick_until(std::chrono::steady_clock::now() + kFinishLimit);
    for (auto& element : elements_) element->leave(std::chrono::steady_clock::now());
    const auto last = std::chrono::steady_clock::now() + kLeaveLimit;
    // The elements' own tasks end when their links are closed; two tasks are not theirs.
    while (tasks_.size() > 2 && std::chrono::steady_clock::now() < last) {
        const auto now = std::chrono::steady_clock::now();
        for (auto& element : elements_) element->tick(now);
        const bool going_on = co_await pause();
        if (!going_on) break;
    }
    tasks_.cancel();
}

}  // namespace

ExitCode traffic(const Options& options, const TrafficOptions& wanted) {
    const auto place = find_place(options);
    if (!place.fault.empty()) {
        std::fprintf(stderr, "%s\n", place.fault.c_str());
        return ExitCode::exit_usage;
    }
    if (!place.noted) {
        std::fprintf(stderr, "%s\n", absent_text(place.state).c_str());
        return ExitCode::exit_failed;
    }
    TrafficReport report(options.json);
    Run run(Layout(place.state, *place.noted), wanted, report);
    return run.go();
}

}  // namespace twinsite::cli::demo
