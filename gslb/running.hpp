// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/steady_timer.hpp>

#include "base/daemon/daemon.hpp"
#include "gslb/api_thread.hpp"
#include "gslb/control/api.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/health/checker.hpp"
#include "gslb/intent.hpp"
#include "gslb/reloader.hpp"
#include "gslb/server/listeners.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/status_listener.hpp"

namespace twinsite::gslb {

/// The program from its start to its end: the parts, in the order in which they are built, and the
/// wires between them.
///
/// Threads: the main loop (health, helm, status listener) owns this object; the DNS workers stand
/// behind Listeners; the API has a thread; one more reads configurations.
///
/// Start: overrides and old verdicts from disk, first snapshot, control API, DNS sockets, ready.
/// The sockets open at once when the state of every target is known from before. Else they wait
/// for the first round of checks, at most kFirstRound: a program that knows nothing must not
/// answer as if everything were up.
class Running {
public:
    static constexpr std::chrono::milliseconds kFirstRound{3'000};
    /// The API's only thread waits no longer for a reload: other requests wait behind it.
    static constexpr std::chrono::milliseconds kReloadWait{10'000};

    Running(
        base::daemon::Process& process,
        std::string config_file,
        std::shared_ptr<const Intent> intent
    );
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Throws StartError.
    void start();
    void reload(Reloader::Done done);
    void drain(std::function<void()> drained);

private:
    control::Helm::Seams helm_seams();
    control::Overrides restore_overrides() const;
    control::KeptControl restore_control() const;
    void start_api();
    void start_status();
    void start_checks();
    void serve_dns(bool first_round_complete);
    void arm_expiry();
    std::string not_ready() const;

    control::ReloadOutcome adopt(const LoadedIntent& loaded);
    std::vector<std::string> change_edges(const Intent& next);
    std::vector<std::string> find_fixed_changes(const Config& next) const;

    control::ApiSeams make_seams();
    bool run_on_loop(const std::function<void()>& work);
    bool reload_and_wait(control::ReloadOutcome& outcome);
    std::string state_path(const char* file) const;

    // fixed after construction
    base::daemon::Process& process_;
    const std::chrono::steady_clock::time_point started_;
    // owned by the loop, in the order in which they are built
    std::shared_ptr<const Intent> intent_;
    std::unique_ptr<server::Publisher> publisher_;
    std::unique_ptr<health::Checker> checker_;
    std::unique_ptr<control::Helm> helm_;
    std::unique_ptr<server::Listeners> listeners_;
    boost::asio::steady_timer expiry_;
    bool serving_ = false;
    bool draining_ = false;
    Reloader reloader_;
    control::ApiSeams status_seams_;  ///< for handlers on the loop
    control::ApiSeams api_seams_;     ///< for handlers on the API's thread
    base::http::Router status_routes_;
    base::http::Router api_routes_;
    base::http::Router tls_api_routes_;
    StatusListener status_;
    std::unique_ptr<ApiThread> api_;
    // any thread (atomic)
    control::RefusalCounts refusals_;
    std::atomic<bool> closing_{false};  ///< the loop does not run any more
};

}  // namespace twinsite::gslb
