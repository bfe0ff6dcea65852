// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "base/net/asio.hpp"
#include "wire/diameter/credit_control.hpp"
#include "wire/diameter/framer.hpp"
#include "wire/diameter/header.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::tests {

/// A charging service on a port of its own that serves one connection after the other, on a thread
/// of its own, until it is destroyed.
class FakeCharger {
public:
    struct Manner {
        std::uint32_t result_code = 2001;
        std::uint32_t admit = 2001;  ///< To the CER; anything else refuses the link.
        bool silent = false;         ///< Takes requests and says nothing.
        bool hang_up = false;        ///< Closes at the first request.
    };
    explicit FakeCharger(Manner manner)
        : manner_(manner),
          acceptor_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
          port_(acceptor_.local_endpoint().port()),
          thread_([this] { run(); }) {}
    ~FakeCharger() {
        stopping_ = true;
        boost::asio::io_context io;
        boost::asio::ip::tcp::socket wake(io);
        boost::system::error_code ignored;
        wake.connect({boost::asio::ip::make_address("127.0.0.1"), port_}, ignored);
        thread_.join();
    }

    std::uint16_t port() const { return port_; }
    int initials() const { return initials_; }
    int terminations() const { return terminations_; }
    int polite_ends() const { return polite_ends_; }

private:
    void run() {
        while (true) {
            boost::asio::ip::tcp::socket client(io_);
            acceptor_.accept(client);
            if (stopping_) return;
            serve(client);
        }
    }

    void serve(boost::asio::ip::tcp::socket& client) {
        namespace diameter = wire::diameter;
        diameter::Identity self;
        self.host = "b1.east.example.net";
        self.realm = "example.net";
        diameter::PeerConfig config;
        config.admit = [this](const diameter::Capabilities&) { return manner_.admit; };
        diameter::Peer peer(self, config, [] { return 7U; });
        diameter::Actions actions;
        diameter::Framer framer;
        peer.step(diameter::Event::transport_up(), std::chrono::steady_clock::now(), actions);
        while (true) {
            const auto room = framer.prepare();
            boost::system::error_code failure;
            const auto size =
                client.read_some(boost::asio::buffer(room.data(), room.size()), failure);
            if (failure) return;
            framer.commit(size);
            while (auto message = framer.next()) {
                peer.step(
                    diameter::Event::message(*message), std::chrono::steady_clock::now(), actions
                );
                auto out = actions.send;
                if (actions.deliver && !answer(*message, self, out)) return;
                if (actions.peer_leaving) ++polite_ends_;
                boost::asio::write(client, boost::asio::buffer(out), failure);
            }
        }
    }

    /// False: hang up.
    bool answer(
        std::span<const std::uint8_t> message,
        const wire::diameter::Identity& self,
        std::vector<std::uint8_t>& out
    ) {
        namespace diameter = wire::diameter;
        diameter::CreditControlRequest request;
        if (diameter::read_ccr(message, request)) return false;
        if (request.type == diameter::CcRequestType::initial) ++initials_;
        if (request.type == diameter::CcRequestType::termination) ++terminations_;
        if (manner_.hang_up) return false;
        if (manner_.silent) return true;
        diameter::CcaFields fields;
        fields.result_code = manner_.result_code;
        diameter::build_cca(out, self, message, request, fields);
        return true;
    }

    const Manner manner_;
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    const std::uint16_t port_;
    std::atomic<bool> stopping_{false};
    std::atomic<int> initials_{0};
    std::atomic<int> terminations_{0};
    std::atomic<int> polite_ends_{0};
    std::thread thread_;
};

}  // namespace twinsite::tests
