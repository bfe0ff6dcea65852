// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "base/http/router.hpp"
#include "gslb/config.hpp"

namespace twinsite::gslb {

/// Serves the control socket, and control over mutual TLS, on a thread of its own, so that a
/// request may wait for the loop or for a reload without holding up health checks.
class ApiThread {
public:
    /// `router` (for the socket) and `tls_router` outlive this.
    ApiThread(const base::http::Router& router, const base::http::Router& tls_router);
    /// Closes everything at once and joins. No handler may be waiting for the calling thread.
    ~ApiThread();
    ApiThread(const ApiThread&) = delete;
    ApiThread& operator=(const ApiThread&) = delete;

    /// Before `start`. Needs client certificates.
    base::Result<void> listen_tls(const ControlListener& at);
    /// Opens the socket and starts to serve. Once.
    base::Result<void> start(const std::string& socket_path);
    /// Accepts nothing more and finishes what runs; `stopped` is called on the API's thread.
    void stop(std::function<void()> stopped);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb
