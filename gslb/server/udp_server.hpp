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
    /// `publisher` outlives this. Serves nothing until workers are added.
    UdpServer(Publisher& publisher, const base::net::Endpoint& local);

    /// Sockets for `count` more workers, already receiving; give them to add().
    base::Result<std::vector<Socket>> open_more(std::size_t count) const;
    void add(std::vector<Socket> sockets, std::uint16_t payload_bytes);
    /// Stops the last workers after they have answered what they received. Their counts are added
    /// to `totals`.
    void shrink(std::size_t count, Totals& totals);
    void set_payload_bytes(std::uint16_t bytes);

    const base::net::Endpoint& local() const { return local_; }
    std::size_t worker_count() const { return workers_.size(); }
    void add_counters(Totals& totals) const;

private:
    Publisher& publisher_;
    base::net::Endpoint local_;
    std::vector<std::unique_ptr<UdpWorker>> workers_;
};

}  // namespace twinsite::gslb::server
