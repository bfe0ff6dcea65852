// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "base/http/message.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::base::http {

/// Files are PEM. TLS 1.2 and later; 1.3 only where a certificate is shown.
struct TlsClient {
    std::string ca;           ///< PEM file of the issuers we trust; empty: those of the system.
    std::string server_name;  ///< Must stand in the server's certificate; also sent as SNI.
    std::string certificate;  ///< PEM chain shown to the server; empty: none.
    std::string key;
    std::string crl = {};  ///< PEM revocation list of `ca`; empty: none.
    /// Must say yes to the URI SAN of the server's certificate ("" when it has not exactly one);
    /// empty: whoever has the name and a certificate of `ca`.
    std::function<bool(std::string_view uri)> accept_identity = {};
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
