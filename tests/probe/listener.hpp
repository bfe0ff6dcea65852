// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "base/error/result.hpp"
#include "base/net/asio.hpp"

namespace twinsite::probe {

/// A listening socket of a test that nobody accepts from: the kernel completes connections, and
/// then nothing comes, as from a stopped process.
class SilentListener {
public:
    explicit SilentListener(int backlog = 16) : acceptor_(io_) {
        const boost::asio::ip::tcp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
        acceptor_.open(any.protocol());
        acceptor_.bind(any);
        acceptor_.listen(backlog);
    }
    base::net::Endpoint at() const { return base::net::from_asio(acceptor_.local_endpoint()); }
    /// The next connection, waiting for it.
    boost::asio::ip::tcp::socket accept() { return acceptor_.accept(); }

private:
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
};

/// Answers one connection with fixed bytes once the request's header is there.
class ScriptedListener {
public:
    explicit ScriptedListener(std::string answer)
        : thread_([this, answer = std::move(answer)] { serve(answer); }) {}
    ~ScriptedListener() { join(); }

    base::net::Endpoint at() const { return listener_.at(); }
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    /// After `join`.
    const std::string& request() const { return request_; }
    const std::string& client() const { return client_; }

private:
    void serve(const std::string& answer) {
        auto socket = listener_.accept();
        client_ = socket.remote_endpoint().address().to_string();
        base::Error ignored;
        boost::asio::read_until(socket, boost::asio::dynamic_buffer(request_), "\r\n\r\n", ignored);
        boost::asio::write(socket, boost::asio::buffer(answer), ignored);
    }

    SilentListener listener_;
    std::string request_;
    std::string client_;
    std::thread thread_;
};

/// A port of 127.0.0.1 on which nobody listens.
inline base::net::Endpoint closed_port() {
    return SilentListener().at();
}

}  // namespace twinsite::probe
