// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gslb/server/counters.hpp"
#include "gslb/server/socket.hpp"

namespace twinsite::gslb::server {

class Publisher;

struct TcpLimits {
    std::chrono::milliseconds idle{10'000};  ///< between two whole queries, and for taking a reply
    std::size_t max_connections = 4096;      ///< beyond it the longest idle one is closed
    std::uint16_t udp_payload_bytes = 1232;  ///< named in OPT; no limit for replies over TCP
};

/// Answers DNS over TCP (RFC 7766) on any number of listening sockets, with one thread of its own.
/// Queries may be pipelined; replies come in order, as many in one write as the queries came in
/// one read. Called by the thread that owns it.
class TcpServer {
public:
    /// Names a listening socket; never used twice.
    using ListenerId = std::size_t;

    /// Starts the thread. `publisher` outlives this.
    TcpServer(Publisher& publisher, const TcpLimits& limits);
    ~TcpServer();  ///< stop()
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;

    ListenerId listen(Socket listening);
    /// Accepts what waits, then closes the listening socket. Its connections go on.
    void close(ListenerId listener);
    void set_limits(const TcpLimits& limits);
    /// Answers what has arrived, for at most a second, then closes everything and ends the thread.
    void stop();
    const Counters& counters() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::server
