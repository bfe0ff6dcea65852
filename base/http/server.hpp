// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "base/http/router.hpp"
#include "base/net/endpoint.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::base::http {

/// Bounds of a server. Their defaults suit a control API.
struct Limits {
    std::uint32_t header_bytes = 16 * 1024;
    std::uint64_t body_bytes = 1024 * 1024;
    std::chrono::milliseconds handshake{5'000};  ///< TLS handshake.
    std::chrono::milliseconds read{10'000};      ///< First to last byte of one request.
    std::chrono::milliseconds write{10'000};     ///< One whole answer.
    std::chrono::milliseconds idle{60'000};      ///< Between two requests of a connection.
    std::chrono::milliseconds later{120'000};    ///< Longest wait for a later answer; then 503.
    std::size_t connections = 256;  ///< Beyond: the longest idle one goes, else the new one.
};

/// What a TLS listener needs; all of them PEM files. TLS 1.2 and later; 1.3 only, and no session
/// resumption, where clients must show certificates. Changed files are taken within 2 s, and peers
/// that the new ones do not trust any more are cut off; files that are no good are logged
/// (tls_files_refused) and the old ones stay.
struct TlsServer {
    std::string certificate;  ///< The chain, leaf first.
    std::string key;
    std::string client_ca;  ///< Not empty: clients must show a certificate issued by it.
    std::string crl = {};   ///< Revocation list of `client_ca`; empty: none.
};

struct ServerCounters {
    std::uint64_t accepted = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;     ///< Closed at once: the connection limit.
    std::uint64_t timed_out = 0;   ///< Handshake, read, write or idle limit reached.
    std::uint64_t malformed = 0;   ///< Answered 400, 413 or 431 and closed.
    std::uint64_t distrusted = 0;  ///< TLS handshakes refused, and peers cut off by new files.
};

/// HTTP/1.1 over TCP, TLS and Unix sockets with keep-alive. All of it runs on the thread of `io`,
/// and every method must be called there. `router` outlives the server. Destroying the server
/// closes everything at once.
class Server {
public:
    Server(boost::asio::io_context& io, const Router& router, Limits limits = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Returns the endpoint in use: the given one, with the kernel's port for port 0.
    Result<net::Endpoint> listen_tcp(const net::Endpoint& at);
    Result<net::Endpoint> listen_tls(const net::Endpoint& at, const TlsServer& tls);
    /// Creates the socket file with `mode`. A file left by a dead process is replaced; one on
    /// which somebody listens gives address_in_use. The file is removed by `stop`.
    Result<void> listen_unix(const std::string& path, unsigned mode = 0660);

    /// Accepts nothing more, closes idle connections and event streams, answers 503 to who waits
    /// for a later answer, lets the running requests finish (each at most its write limit), then
    /// calls `stopped` once. May be called again.
    void stop(std::function<void()> stopped = {});

    const ServerCounters& counters() const;
    std::size_t connections() const;

private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace twinsite::base::http
