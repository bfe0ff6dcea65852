// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/http/message.hpp"
#include "base/net/endpoint.hpp"
#include "cli/api/daemon.hpp"

namespace twinsite::cli::api {

/// Where the switchover servers are and what we show them. Empty words are filled from the
/// environment (TWINSITE_SERVER, TWINSITE_TLS), then from ~/.config/twinsite.yaml (keys `server`
/// and `tls`).
struct SwitchoverPlace {
    std::string servers;  ///< "127.0.3.30:8444", several separated by commas.
    std::string tls;      ///< DIR/NAME.crt; its key is DIR/NAME.key, the authority DIR/ca.crt.
};

/// The machine API of the switchover servers, by an operator's certificate. Every call is a
/// connection of its own and blocks for at most `limit` per server; a server that cannot be
/// reached is followed by the next one.
class Switchover {
public:
    Switchover(SwitchoverPlace place, std::chrono::milliseconds limit);

    /// As Daemon::call. `key`: an Idempotency-Key, or empty.
    Answer call(
        const std::string& method,
        const std::string& target,
        const std::string& body = {},
        const std::string& key = {}
    ) const;

private:
    Answer call_one(const base::net::Endpoint& server, const base::http::Request& request) const;

    std::chrono::milliseconds limit_;
    std::vector<base::net::Endpoint> servers_;
    std::string stem_;    // DIR/NAME
    std::string folder_;  // DIR
    std::string wrong_;   // why there is no place to call
};

}  // namespace twinsite::cli::api
