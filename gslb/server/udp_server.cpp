// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_server.hpp"

#include <utility>

namespace twinsite::gslb::server {

UdpServer::UdpServer(const WorkerSeams& seams, const base::net::Endpoint& local)
    : seams_(seams), local_(local) {}

base::Result<std::vector<Socket>> UdpServer::open_more(std::size_t count) const {
    std::vector<Socket> out;
    for (std::size_t i = 0; i < count; ++i) {
        auto socket = open_udp(local_);
        if (!socket) return socket.error();
        out.push_back(std::move(*socket));
    }
    return out;
}

void UdpServer::add(std::vector<Socket> sockets) {
    for (Socket& socket : sockets)
        workers_.push_back(std::make_unique<UdpWorker>(seams_, std::move(socket), local_));
}

void UdpServer::shrink(std::size_t count, Totals& totals) {
    while (workers_.size() > count) {
        workers_.back()->stop();
        add_to(totals, workers_.back()->counters());
        workers_.pop_back();
    }
}

void UdpServer::let_go(Totals& totals) {
    for (const auto& worker : workers_) {
        worker->let_go();
        add_to(totals, worker->counters());
    }
    workers_.clear();
}

void UdpServer::add_counters(Totals& totals) const {
    for (const auto& worker : workers_) add_to(totals, worker->counters());
}

}  // namespace twinsite::gslb::server
