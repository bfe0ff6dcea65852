// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/async/task_group.hpp"
#include "monitor/report/clocks.hpp"
#include "monitor/report/schedule.hpp"
#include "monitor/site/probe_config.hpp"
#include "probe/probe.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::site {

/// Runs the outside probes, each at its own interval and phase, and keeps their last results.
class Prober {
public:
    /// `on_change` is called when a probe says something else than before.
    Prober(
        const boost::asio::any_io_executor& executor,
        const std::vector<ProbeConfig>& probes,
        const std::string& node,
        report::Clocks clocks,
        std::function<void()> on_change
    );

    void start();
    /// Asks what runs to end. To be destroyed after it has ended, or after the loop.
    void stop() { tasks_.cancel(); }
    /// The last result of every probe that has one, with its age.
    std::vector<wire::contract::ProbeResult> results() const;

private:
    struct Watch {
        ProbeConfig config;
        std::unique_ptr<probe::Probe> probe;
        report::Schedule schedule;
        std::optional<probe::Outcome> last;
        std::chrono::milliseconds measured{};
    };
    boost::asio::awaitable<void> run(Watch& watch);
    void take(Watch& watch, probe::Outcome outcome, std::chrono::milliseconds begun);

    const report::Clocks clocks_;
    const std::function<void()> on_change_;
    std::vector<std::unique_ptr<Watch>> watches_;
    base::async::TaskGroup tasks_;
};

}  // namespace twinsite::monitor::site
