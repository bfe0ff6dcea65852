// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "base/http/message.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::base::http {

struct TlsClient {
    std::string ca;           ///< PEM file of the issuers we trust; empty: those of the system.
    std::string server_name;  ///< Must stand in the server's certificate; also sent as SNI.
    std::string certificate;  ///< PEM chain shown to the server; empty: none.
    std::string key;
};

/// Where a request goes: a Unix socket when `unix_socket` is set, else `address`.
struct Target {
    std::string unix_socket;
    net::Endpoint address;
    std::optional<net::Endpoint> bind;  ///< Source address; its port is usually 0.
    std::string host;                   ///< Host header; empty: from the address.
    std::optional<TlsClient> tls;

    static Target at_unix(std::string path);
    static Target at_tcp(const net::Endpoint& address);
};

/// One request on a connection of its own, over before `limit` (timed_out). Blocks. `request`
/// needs method, target, body and headers only. Answers of any status are values; errors are about
/// reaching the peer and understanding it. An answer above 64 MiB is an error.
Result<Response> request(
    const Target& target, const Request& request, std::chrono::milliseconds limit
);

}  // namespace twinsite::base::http
