// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_server.hpp"

#include <utility>

namespace twinsite::gslb::server {

UdpServer::UdpServer(Publisher& publisher, const base::net::Endpoint& local)
    : publisher_(publisher), local_(local) {}

base::Result<std::vector<Socket>> UdpServer::open_more(std::size_t count) const {
    std::vector<Socket> out;
    for (std::size_t i = 0; i < count; ++i) {
        auto socket = open_udp(local_);
        if (!socket) return socket.error();
        out.push_back(std::move(*socket));
    }
    return out;
}

void UdpServer::add(std::vector<Socket> sockets, std::uint16_t payload_bytes) {
    for (Socket& socket : sockets)
        workers_.push_back(std::make_unique<UdpWorker>(
            publisher_, std::move(socket), is_wildcard(local_.address), payload_bytes
        ));
}

void UdpServer::shrink(std::size_t count, Totals& totals) {
    while (workers_.size() > count) {
        workers_.back()->stop();
        add_to(totals, workers_.back()->counters());
        workers_.pop_back();
    }
}

void UdpServer::set_payload_bytes(std::uint16_t bytes) {
    for (const auto& worker : workers_) worker->set_payload_bytes(bytes);
}

void UdpServer::add_counters(Totals& totals) const {
    for (const auto& worker : workers_) add_to(totals, worker->counters());
}

}  // namespace twinsite::gslb::server
