// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error/result.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/socket.hpp"
#include "gslb/server/udp_worker.hpp"

namespace twinsite::gslb::server {

/// The UDP workers of one address: each has a socket of its own (SO_REUSEPORT), so the kernel
/// spreads clients over them and they share nothing but the snapshot. Called by one thread.
class UdpServer {
public:
    /// Serves nothing until workers are added.
    UdpServer(const WorkerSeams& seams, const base::net::Endpoint& local);

    /// Sockets for `count` more workers, already receiving; give them to add().
    base::Result<std::vector<Socket>> open_more(std::size_t count) const;
    void add(std::vector<Socket> sockets);
    /// Stops the last workers after they have answered what they received. Their counts are added
    /// to `totals`.
    void shrink(std::size_t count, Totals& totals);
    /// Like shrink(0), but the sockets go on in another process.
    void let_go(Totals& totals);

    const base::net::Endpoint& local() const { return local_; }
    std::size_t worker_count() const { return workers_.size(); }
    void add_counters(Totals& totals) const;
    const std::vector<std::unique_ptr<UdpWorker>>& workers() const { return workers_; }

private:
    const WorkerSeams seams_;
    base::net::Endpoint local_;
    std::vector<std::unique_ptr<UdpWorker>> workers_;
};

}  // namespace twinsite::gslb::server
