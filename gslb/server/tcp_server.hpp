// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gslb/server/counters.hpp"
#include "gslb/server/socket.hpp"
#include "gslb/server/udp_worker.hpp"

namespace twinsite::gslb::server {

/// Answers DNS over TCP (RFC 7766) on any number of listening sockets, with one thread of its own.
/// Queries may be pipelined; replies come in order, as many in one write as the queries came in
/// one read. The limits are those of the rules. Called by the thread that owns it.
class TcpServer {
public:
    /// Names a listening socket; never used twice.
    using ListenerId = std::size_t;

    /// Starts the thread.
    explicit TcpServer(const WorkerSeams& seams);
    ~TcpServer();  ///< stop()
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;

    ListenerId listen(Socket listening);
    /// Accepts what waits, then closes the listening socket. Its connections go on.
    void close(ListenerId listener);
    /// Takes over changed limits without waiting for the next event.
    void rules_changed();
    /// Answers what has arrived, for at most a second, then closes everything and ends the thread.
    void stop();
    /// Lets the listening sockets go: another process accepts from them. Connections go on.
    void let_go();
    /// The listening socket's number, for handing it over.
    int number_of(ListenerId listener) const;
    const Counters& counters() const;
    const QueryRing& ring() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::server
