// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/async/task_group.hpp"
#include "base/crypto/signature.hpp"
#include "base/daemon/daemon.hpp"
#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "switchover/agent_orders.hpp"
#include "switchover/api/api.hpp"
#include "switchover/conductor.hpp"
#include "switchover/desk.hpp"
#include "switchover/execute/executor.hpp"
#include "switchover/execute/tls_caller.hpp"
#include "switchover/fleet/fleet.hpp"
#include "switchover/store/history.hpp"

namespace twinsite::switchover {

/// The program from its start to its end: the parts, in the order in which they are built, and the
/// wires between them. One thread beside those that write the history and hash passwords.
///
/// Start: store and leadership, first user, judge and scenarios, executor, both ports, ready.
class Running {
public:
    Running(base::daemon::Process& process, std::string config_file, Config config, Book book);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Throws StartError.
    void start();
    /// Takes the scenarios anew; the rest of the configuration needs a restart.
    void reload();
    void drain(std::function<void()> drained);

private:
    void open_store();
    /// `first`: what could not be done; empty: all was.
    using Outcome = std::pair<std::string, base::Error>;
    Outcome begin_to_lead();
    /// Throws StartError at the start, for what no waiting mends.
    void take_leadership(bool at_start);
    void open_signing();
    void build_fleet();
    void build_conductor();
    void build_executor();
    void build_api();
    void listen();
    void take_clock();
    void look_at_certificates();
    boost::asio::awaitable<void> end(std::function<void()> drained);
    std::string not_ready() const;
    std::string metrics() const;
    fleet::Moment moment() const;

    // fixed after construction
    base::daemon::Process& process_;
    const std::string config_file_;
    const Config config_;
    const std::chrono::steady_clock::time_point started_;
    const std::string config_text_;  ///< To see whether the file has changed.
    // owned by the loop, in the order in which they are built
    Book first_book_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<lead::Leader> leader_;
    std::unique_ptr<store::History> history_;
    std::optional<base::crypto::Signer> signer_;
    std::unique_ptr<Conductor> conductor_;
    std::unique_ptr<fleet::Fleet> fleet_;
    std::unique_ptr<AgentOrders> orders_;
    std::unique_ptr<fleet::Commands> commands_;
    std::unique_ptr<execute::TlsCaller> caller_;
    std::unique_ptr<execute::Executor> executor_;
    std::unique_ptr<Desk> desk_;
    std::unique_ptr<api::Api> api_;
    base::http::Router machine_routes_;
    base::http::Router console_routes_;
    std::unique_ptr<base::http::Server> machine_;
    std::unique_ptr<base::http::Server> console_;
    base::async::TaskGroup tasks_;
    boost::asio::steady_timer clock_;
    std::chrono::steady_clock::time_point next_tick_{};
    std::chrono::steady_clock::time_point next_fleet_tick_{};
    std::chrono::steady_clock::time_point next_certificates_{};
    std::vector<OwnCertificate> certificates_;
    std::optional<std::chrono::steady_clock::time_point> next_take_;  ///< The leadership, again.
    bool draining_ = false;
};

}  // namespace twinsite::switchover
