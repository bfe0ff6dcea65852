// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "tests/monitor/servers.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::tests {

/// What agents and monitors see of a switchover server: takes all they send, hands out commands
/// until their results are final. Over real TLS, on the loop of the test.
class FakeServer {
public:
    FakeServer(
        boost::asio::io_context& io,
        const Servers& servers,
        const std::string& name,
        std::string uri = "twinsite://arbiter/switchover/sw"
    )
        : io_(io), uri_(std::move(uri)) {
        servers.issue_files(uri_, name);
        tls_.certificate = servers.file(name + ".crt");
        tls_.key = servers.file(name + ".key");
        tls_.client_ca = servers.ca();
        tls_.crl = servers.crl();
        add_routes();
        start();
    }
    ~FakeServer() {
        stop();
        io_.restart();
        io_.poll();
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    void start() {
        server_ = std::make_unique<base::http::Server>(io_, router_);
        endpoint_ = server_->listen_tls(endpoint_, tls_).value();
    }
    /// With the next turn of the loop: what ends tasks must run on it.
    void stop() {
        boost::asio::post(io_, [this] { server_.reset(); });
    }
    const base::net::Endpoint& endpoint() const { return endpoint_; }

    /// Hands it out to who asks, from now on.
    void order(wire::contract::Command command) {
        commands_.push_back(std::move(command));
        for (const auto& reply : std::exchange(polls_, {})) answer(reply);
    }

    std::vector<wire::contract::Report> reports;
    std::vector<wire::contract::Batch> batches;
    std::vector<wire::contract::CommandResult> results;
    std::vector<std::string> peers;  ///< Of reports and batches.
    unsigned status = 200;           ///< Given to them.
    std::uint64_t wall_ms = 0;       ///< Told in the acknowledgements.

private:
    void add_routes() {
        router_.add("POST", "/agent/v1/report", [this](const auto& request, const auto&) {
            auto report = wire::contract::decode_report(request.body).value();
            const auto seq = report.seq;
            if (status == 200) reports.push_back(std::move(report));
            return acknowledge(request, seq);
        });
        router_.add("POST", "/agent/v1/batch", [this](const auto& request, const auto&) {
            auto batch = wire::contract::decode_batch(request.body).value();
            const auto seq = batch.seq;
            if (status == 200) batches.push_back(std::move(batch));
            return acknowledge(request, seq);
        });
        router_.add("POST", "/agent/v1/results", [this](const auto& request, const auto&) {
            for (auto& result : wire::contract::decode_results(request.body).value()) {
                if (is_final(result.state))
                    std::erase_if(commands_, [&](const auto& command) {
                        return command.op_id == result.op_id;
                    });
                results.push_back(std::move(result));
            }
            base::http::Response out;
            out.status = 204;
            return out;
        });
        router_.add_later(
            "GET",
            "/agent/v1/commands",
            [this](const auto&, const auto&, base::http::Reply reply) {
                if (commands_.empty())
                    polls_.push_back(std::move(reply));
                else
                    answer(reply);
            }
        );
    }
    base::http::Response acknowledge(const base::http::Request& request, std::uint64_t seq) {
        peers.push_back(request.peer_identity);
        base::http::Response out;
        out.status = status;
        out.body = wire::contract::encode_ack({uri_, wall_ms, seq});
        return out;
    }
    void answer(const base::http::Reply& reply) const {
        base::http::Response out;
        out.body = wire::contract::encode_commands(commands_);
        reply.reply(std::move(out));
    }

    boost::asio::io_context& io_;
    std::string uri_;
    base::http::TlsServer tls_;
    base::http::Router router_;
    base::net::Endpoint endpoint_{base::text::IpAddress::from_v4(0x7F000001), 0};
    std::vector<wire::contract::Command> commands_;
    std::vector<base::http::Reply> polls_;
    std::unique_ptr<base::http::Server> server_;
};

/// Runs the loop until `done`, at most 20 s. False when it was not done by then.
template <class Done>
bool run_until(boost::asio::io_context& io, Done done) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    io.restart();
    while (!done()) {
        if (std::chrono::steady_clock::now() > limit) return false;
        io.run_one_for(std::chrono::milliseconds(100));
    }
    return true;
}

}  // namespace twinsite::tests
