// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/http/server.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::base::http {

/// A server on a loop of its own, with two routes: GET /hello, and PUT /echo, which sends the body
/// back. Stopped and joined at the end.
class RunningServer {
public:
    explicit RunningServer(Limits limits = {}) {
        router.add("GET", "/hello", [](const Request& request, const PathParameters&) {
            Response out;
            out.content_type = "text/plain";
            out.body = "hello " + request.peer_identity;
            return out;
        });
        router.add("PUT", "/echo", [](const Request& request, const PathParameters&) {
            Response out;
            out.body = request.body;
            return out;
        });
        loop.on_loop([&] { server.emplace(loop.io(), router, limits); });
    }
    ~RunningServer() {
        loop.on_loop([&] { server.reset(); });
        loop.join();
    }

    /// On a free port of 127.0.0.1.
    net::Endpoint listen_tcp() {
        return loop.on_loop([&] { return server->listen_tcp(localhost()).value(); });
    }
    net::Endpoint listen_tls(const TlsServer& tls) {
        return loop.on_loop([&] { return server->listen_tls(localhost(), tls).value(); });
    }
    Result<void> listen_unix(const std::string& path, unsigned mode = 0660) {
        return loop.on_loop([&] { return server->listen_unix(path, mode); });
    }
    ServerCounters counters() {
        return loop.on_loop([&] { return server->counters(); });
    }
    std::size_t connections() {
        return loop.on_loop([&] { return server->connections(); });
    }
    static net::Endpoint localhost() { return {text::IpAddress::from_v4(0x7F000001), 0}; }

    tests::Loop loop;
    Router router;
    std::optional<Server> server;
};

}  // namespace twinsite::base::http
