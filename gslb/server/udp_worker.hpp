// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "gslb/answer/random.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/dnstap.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/server/query_ring.hpp"
#include "gslb/server/rate_limit.hpp"
#include "gslb/server/rule_book.hpp"
#include "gslb/server/socket.hpp"

namespace twinsite::gslb::server {

/// What a worker needs from outside; all outlives it.
struct WorkerSeams {
    Publisher& publisher;
    const RuleBook& rules;
    std::size_t logged_queries = 0;    ///< of each worker, kept in its ring; 0: none
    std::shared_ptr<Dnstap> dnstap{};  ///< null: no copies
};

/// One thread that answers one UDP socket: receive a batch, answer each packet in place, send the
/// batch. Two system calls a batch, no lock, no allocation, one look at the (coarse) clock.
class UdpWorker {
public:
    /// Starts the thread. `local` is where the socket is bound; on a wildcard each reply names the
    /// address it must leave from.
    UdpWorker(const WorkerSeams& seams, Socket socket, const base::net::Endpoint& local);
    ~UdpWorker();  ///< stop()
    UdpWorker(const UdpWorker&) = delete;
    UdpWorker& operator=(const UdpWorker&) = delete;

    /// Answers what the socket has received by now, then ends the thread and closes the socket.
    void stop();
    /// Ends the thread and lets the socket go without a trace: another process reads on from it.
    /// What this one has received is answered; what waits in the socket is the other's. Returns
    /// within kWakeEvery.
    void let_go();
    const Socket& socket() const { return socket_; }
    const Counters& counters() const { return counters_; }
    const QueryRing& ring() const { return ring_; }

private:
    class Batch;
    struct Desk;
    void run();
    /// From now on the kernel gives new packets to the other sockets of the address.
    void leave_group();
    /// Answers the batch's queries; returns when all replies are with the kernel.
    void serve(Batch& batch, std::size_t count, Desk& desk);
    /// The reply to packet `i` of the batch: its size, 0 for none.
    std::size_t answer_transfer(Batch& batch, std::size_t i, Desk& desk);

    // fixed after construction
    const WorkerSeams seams_;
    Socket socket_;
    const base::net::Endpoint local_;
    const bool wildcard_;
    const bool v6_;
    const std::unique_ptr<Dnstap::Tap> tap_;
    // written by the worker, read by any thread
    Counters counters_;
    QueryRing ring_;
    // any thread (atomic)
    std::atomic<bool> stopping_{false};
    std::atomic<bool> letting_go_{false};
    std::thread thread_;  // last: starts when all else is ready
};

}  // namespace twinsite::gslb::server
