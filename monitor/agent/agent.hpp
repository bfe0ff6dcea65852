// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/async/task_group.hpp"
#include "base/log/log.hpp"
#include "monitor/action/operations.hpp"
#include "monitor/report/clocks.hpp"
#include "monitor/report/memory_guard.hpp"
#include "monitor/report/outbox.hpp"
#include "monitor/report/schedule.hpp"
#include "monitor/report/self_usage.hpp"
#include "monitor/report/server_links.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::agent {

struct AgentConfig {
    report::LinkConfig links;
    std::string kind;  ///< interface, processing, database or other
    std::string version;
    std::string state_directory;
    report::MemoryLimits memory;
};

/// The agent of one machine: measures, reports to every server, and does what servers ask. All of
/// it on the thread of the executor.
class Agent {
public:
    /// Takes the samples of one report; quick.
    using Collect = std::function<std::vector<wire::contract::Sample>()>;

    /// Throws base::daemon::StartError. `too_large` is called when the memory limit is reached,
    /// after what waits was saved.
    Agent(
        const boost::asio::any_io_executor& executor,
        AgentConfig config,
        report::Clocks clocks,
        Collect collect,
        std::function<void()> too_large
    );

    void start();
    void use(action::Actions actions) { operations_.use(std::move(actions)); }
    /// Nothing new is begun; `ended` is called when no action runs. What waits is saved.
    void drain(std::function<void()> ended);
    /// Asks what runs to end. To be destroyed after it has ended, or after the loop.
    void stop();

    const AgentConfig& config() const { return config_; }
    const report::ServerLinks& links() const { return links_; }
    const action::Operations& operations() const { return operations_; }
    std::size_t backlog(std::size_t server) const { return outbox_.backlog(server); }
    std::uint64_t dropped(std::size_t server) const { return outbox_.dropped(server); }
    std::uint64_t seq() const { return seq_; }
    std::chrono::milliseconds uptime() const { return clocks_.monotonic() - started_; }

private:
    boost::asio::awaitable<void> report_for_ever();
    void report_now();
    wire::contract::Sample measure_self();
    std::string dress(const spool::Entry& entry, bool live, std::size_t server) const;
    void on_commands(std::size_t server, const std::vector<wire::contract::Command>& commands);
    void on_end(const wire::contract::CommandResult& result);

    const AgentConfig config_;
    const report::Clocks clocks_;
    const Collect collect_;
    const std::chrono::milliseconds started_;
    const std::string boot_id_;  ///< Of this run; `seq_` counts in it.
    report::Schedule schedule_;
    report::SelfUsage usage_;
    std::uint64_t seq_ = 0;
    report::Outbox outbox_;
    report::MemoryGuard memory_;
    action::Operations operations_;
    report::ServerLinks links_;
    std::map<std::string, std::set<std::size_t>> askers_;  ///< Servers by running operation.
    base::async::TaskGroup tasks_;
};

}  // namespace twinsite::monitor::agent
