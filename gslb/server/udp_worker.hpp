// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "gslb/answer/random.hpp"
#include "gslb/server/counters.hpp"
#include "gslb/server/publisher.hpp"
#include "gslb/server/socket.hpp"

namespace twinsite::gslb::server {

/// One thread that answers one UDP socket: receive a batch, answer each packet in place, send the
/// batch. Two system calls a batch, no lock, no allocation, no clock.
class UdpWorker {
public:
    /// Starts the thread. `publisher` outlives this. `wildcard`: the socket is bound to every
    /// address, so each reply names the address it must leave from.
    UdpWorker(Publisher& publisher, Socket socket, bool wildcard, std::uint16_t payload_bytes);
    ~UdpWorker();  ///< stop()
    UdpWorker(const UdpWorker&) = delete;
    UdpWorker& operator=(const UdpWorker&) = delete;

    /// 512..4096; from the next batch on.
    void set_payload_bytes(std::uint16_t bytes);
    /// Answers what the socket has received by now, then ends the thread and closes the socket.
    void stop();
    const Counters& counters() const { return counters_; }

private:
    class Batch;
    void run();
    /// From now on the kernel gives new packets to the other sockets of the address.
    void leave_group();
    /// Answers the batch's queries; returns when all replies are with the kernel.
    void serve(Batch& batch, std::size_t count, Publisher::Reader& reader, answer::Random& random);

    // fixed after construction
    Publisher& publisher_;
    Socket socket_;
    bool wildcard_;
    // any thread (atomic)
    std::atomic<std::uint16_t> payload_bytes_;
    std::atomic<bool> stopping_{false};
    Counters counters_;  // written by thread_ only
    std::thread thread_;
};

}  // namespace twinsite::gslb::server
