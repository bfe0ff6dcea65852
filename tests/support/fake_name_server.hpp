// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include "base/error/result.hpp"
#include "base/net/asio.hpp"

namespace twinsite::tests {

/// A name server that answers every query alike: with RCODE `rcode` and these A
/// records (addresses in host byte order). On the thread of `io`.
class FakeNameServer {
public:
    FakeNameServer(
        boost::asio::io_context& io, std::uint8_t rcode, std::vector<std::uint32_t> addresses
    )
        : socket_(
              io, boost::asio::ip::udp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)
          ),
          rcode_(rcode),
          addresses_(std::move(addresses)) {
        receive();
    }
    base::net::Endpoint at() const { return base::net::from_asio(socket_.local_endpoint()); }
    int queries() const { return queries_; }
    std::string last_client() const { return from_.address().to_string(); }
    void be_silent() { silent_ = true; }
    /// From now on.
    void answer_with(std::vector<std::uint32_t> addresses) { addresses_ = std::move(addresses); }

private:
    void receive() {
        socket_.async_receive_from(
            boost::asio::buffer(query_),
            from_,
            [this](const base::Error& failure, std::size_t size) {
                if (failure) return;
                ++queries_;
                if (!silent_) reply(size);
                receive();
            }
        );
    }
    void reply(std::size_t size) {
        // Header and question are kept; what follows the question (EDNS) is not sent by c-ares.
        std::vector<std::uint8_t> out(
            query_.begin(), query_.begin() + static_cast<std::ptrdiff_t>(size)
        );
        out[2] = 0x84;  // QR, AA
        out[3] = rcode_;
        out[7] = static_cast<std::uint8_t>(addresses_.size());
        for (const auto address : addresses_) {
            for (const int byte : {0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4})
                out.push_back(static_cast<std::uint8_t>(byte));
            for (int shift = 24; shift >= 0; shift -= 8)
                out.push_back(static_cast<std::uint8_t>(address >> shift));
        }
        socket_.send_to(boost::asio::buffer(out), from_);
    }

    boost::asio::ip::udp::socket socket_;
    boost::asio::ip::udp::endpoint from_;
    std::array<std::uint8_t, 512> query_{};
    const std::uint8_t rcode_;
    std::vector<std::uint32_t> addresses_;
    int queries_ = 0;
    bool silent_ = false;
};

}  // namespace twinsite::tests
