// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/async/task_group.hpp"
#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "base/log/log.hpp"
#include "base/net/endpoint.hpp"
#include "monitor/report/clocks.hpp"
#include "monitor/report/memory_guard.hpp"
#include "monitor/report/outbox.hpp"
#include "monitor/report/schedule.hpp"
#include "monitor/report/self_usage.hpp"
#include "monitor/report/server_links.hpp"
#include "monitor/site/prober.hpp"
#include "monitor/site/reception.hpp"
#include "monitor/site/relay.hpp"
#include "monitor/site/waiting_polls.hpp"
#include "wire/contract/identity.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::monitor::site {

struct SiteConfig {
    report::LinkConfig links;
    std::string version;
    std::string state_directory;
    report::MemoryLimits memory{512ULL * 1024 * 1024, 768ULL * 1024 * 1024};
    base::net::Endpoint listen;
    std::vector<ProbeConfig> probes;
};

struct SiteCounters {
    std::uint64_t reports = 0;
    std::uint64_t repeated = 0;
    std::uint64_t refused = 0;  ///< Requests: wrong certificate, broken body, or no room.
    std::uint64_t batches = 0;
    std::uint64_t results = 0;
};

/// The monitor of a site: takes the reports of its agents, adds what it sees from outside, and
/// sends both to every server in one batch per interval; hands commands on, and results back. All
/// of it on the thread of `io`.
class Site {
public:
    /// Throws base::daemon::StartError. `too_large` is called when the memory limit is reached,
    /// after what waits was saved.
    Site(
        boost::asio::io_context& io,
        SiteConfig config,
        report::Clocks clocks,
        std::function<void()> too_large
    );

    /// Throws base::daemon::StartError when it cannot listen. Gives the endpoint in use.
    base::net::Endpoint start();
    void drain(std::function<void()> ended);
    /// Asks what runs to end. To be destroyed after it has ended, or after the loop.
    void stop();

    const SiteConfig& config() const { return config_; }
    const report::ServerLinks& links() const { return links_; }
    const SiteCounters& counters() const { return counters_; }
    std::size_t backlog(std::size_t server) const { return outbox_.backlog(server); }
    std::uint64_t dropped(std::size_t server) const { return outbox_.dropped(server); }
    /// Agents heard within three intervals.
    std::size_t agents() const;
    std::size_t pending_commands() const { return relay_.size(); }
    std::vector<wire::contract::ProbeResult> probes() const { return prober_.results(); }
    std::chrono::milliseconds uptime() const { return clocks_.monotonic() - started_; }

private:
    using Identity = wire::contract::Identity;

    void add_routes();
    /// The agent of our site that asks; a response refuses.
    std::optional<base::http::Response> find_stranger(
        const base::http::Request& request, Identity& agent
    );
    base::http::Response take_report(const base::http::Request& request);
    void wait_for_commands(const base::http::Request& request, base::http::Reply reply);
    base::http::Response take_results(const base::http::Request& request);
    boost::asio::awaitable<void> send_for_ever();
    boost::asio::awaitable<void> sweep_for_ever();
    void send_batch();
    void send_soon();
    void save();
    std::string dress(const spool::Entry& entry, bool live) const;
    void on_commands(std::size_t server, const std::vector<wire::contract::Command>& commands);

    const SiteConfig config_;
    const report::Clocks clocks_;
    const std::chrono::milliseconds started_;
    const std::string boot_id_;
    const WaitingPolls::Due due_;
    report::Schedule schedule_;
    std::uint64_t seq_ = 0;
    report::Outbox outbox_;
    report::MemoryGuard memory_;
    Reception reception_;
    /// By agent: run and number of its newest live report in a batch.
    std::map<std::string, std::pair<std::string, std::uint64_t>> newest_;
    Relay relay_;
    WaitingPolls polls_;
    SiteCounters counters_;
    report::Signal soon_;
    report::ServerLinks links_;
    Prober prober_;
    base::log::Throttle refusals_{std::chrono::minutes(1)};
    base::http::Router router_;
    base::http::Server server_;
    base::async::TaskGroup tasks_;
};

}  // namespace twinsite::monitor::site
