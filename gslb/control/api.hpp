// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/http/router.hpp"
#include "gslb/control/gate.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/server/counters.hpp"

/// The control API (docs/operator/api-gslb.md): JSON over HTTP. Handlers only read requests and
/// write answers; what they do stands in Helm.
namespace twinsite::gslb::control {

struct ReloadOutcome {
    std::uint64_t snapshot = 0;         ///< in force afterwards
    std::vector<std::string> findings;  ///< not empty: the old configuration stays
    bool still_reading = false;         ///< not known yet; the log will tell
};

/// What the API needs from the program around it. All outlive the router.
struct ApiSeams {
    /// Runs the work on the helm's thread and waits for it. False: the program is stopping and the
    /// work was not and will not be done.
    std::function<bool(const std::function<void()>&)> on_helm;
    /// Reads the configuration again and waits for the outcome, for a bounded time. Called on the
    /// API's thread.
    std::function<bool(ReloadOutcome&)> reload;
    /// Why the program is not ready to answer; empty when it is. On the helm's thread.
    std::function<std::string()> not_ready;
    /// On the helm's thread.
    std::function<server::Totals()> counters;
    std::function<std::chrono::seconds()> uptime;
    std::function<Moment()> now;
    RefusalCounts* refusals = nullptr;  ///< of the control API; null: not counted
};

/// Everything: /healthz, /readyz, /metrics and /api/v1, each behind `gate`. For the control socket
/// and for mutual TLS.
void add_api_routes(
    base::http::Router& router, Helm& helm, const ApiSeams& seams, const Gate& gate = open_gate()
);
/// Only /healthz, /readyz and /metrics: nothing there changes anything or tells names of people.
void add_status_routes(
    base::http::Router& router, Helm& helm, const ApiSeams& seams, const Gate& gate = open_gate()
);

}  // namespace twinsite::gslb::control
