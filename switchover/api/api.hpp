// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "switchover/api/backend.hpp"
#include "switchover/fleet/commands.hpp"
#include "switchover/fleet/fleet.hpp"

namespace boost::asio {
class io_context;
}
namespace twinsite::base::http {
class Router;
}

/// The server's APIs (docs/operator/api-switchover.md): machines and operators by certificate, the
/// console by login. Handlers read requests and write answers; what they do stands in Backend.
namespace twinsite::switchover::api {

struct ApiSettings {
    std::string server;  ///< Our identity URI.
    std::string assets;  ///< Folder of the console's files; empty: no console.
    std::function<fleet::Moment()> clock;
};

/// One thread: that of the servers. Everything given outlives it, and it outlives the servers of
/// its routers.
class Api {
public:
    Api(boost::asio::io_context& io,
        ApiSettings settings,
        Backend& backend,
        fleet::Fleet& fleet,
        fleet::Commands& commands);
    ~Api();
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    /// For the port with client certificates (8444).
    void add_machine_routes(base::http::Router& router);
    /// For the console's port (8443). The console's files are read now: an error when they cannot.
    base::Result<void> add_console_routes(base::http::Router& router);

    /// Every 200 to 500 ms: sends `overview` and `hosts` to open event streams when due, ends
    /// sessions, and ticks nothing else (Fleet and Commands have their own).
    void tick();
    /// Something about this run changed: sent to open event streams.
    void run_changed(const RunView& run);
    /// Ends event streams and polls, so that the servers can stop.
    void stop();

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::switchover::api
