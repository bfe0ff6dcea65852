// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include "base/error/result.hpp"
#include "base/net/asio.hpp"

namespace twinsite::probe {

/// Answers each datagram on a port of its own with those that `answer` makes, on a thread of its
/// own, until it is destroyed.
class DatagramServer {
public:
    using Bytes = std::vector<std::uint8_t>;
    using Answer = std::function<std::vector<Bytes>(std::span<const std::uint8_t>)>;

    explicit DatagramServer(Answer answer)
        : answer_(std::move(answer)),
          socket_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
          at_(base::net::from_asio(socket_.local_endpoint())),
          thread_([this] { serve(); }) {}
    ~DatagramServer() {
        stopping_ = true;
        boost::asio::io_context io;
        boost::asio::ip::udp::socket wake(io, boost::asio::ip::udp::v4());
        wake.send_to(boost::asio::buffer("x", 1), base::net::to_udp(at_));
        thread_.join();
    }
    base::net::Endpoint at() const { return at_; }

private:
    void serve() {
        std::array<std::uint8_t, 4096> buffer{};
        while (true) {
            boost::asio::ip::udp::endpoint from;
            const auto size = socket_.receive_from(boost::asio::buffer(buffer), from);
            if (stopping_) return;
            for (const auto& reply : answer_(std::span(buffer).first(size))) {
                base::Error ignored;
                socket_.send_to(boost::asio::buffer(reply), from, 0, ignored);
            }
        }
    }

    const Answer answer_;
    boost::asio::io_context io_;
    boost::asio::ip::udp::socket socket_;
    const base::net::Endpoint at_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace twinsite::probe
