// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "base/http/router.hpp"

namespace twinsite::gslb {

/// Serves the control socket on a thread of its own, so that a request may wait for the loop or
/// for a reload without holding up health checks.
class ApiThread {
public:
    /// `router` outlives this.
    explicit ApiThread(const base::http::Router& router);
    /// Closes everything at once and joins. No handler may be waiting for the calling thread.
    ~ApiThread();
    ApiThread(const ApiThread&) = delete;
    ApiThread& operator=(const ApiThread&) = delete;

    /// Opens the socket and starts to serve. Once.
    base::Result<void> start(const std::string& socket_path);
    /// Accepts nothing more and finishes what runs; `stopped` is called on the API's thread.
    void stop(std::function<void()> stopped);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb
