// SPDX-License-Identifier: Apache-2.0
// As many machines as a server is meant for, each with a connection that stays.
#include <memory>
#include <sys/resource.h>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include "base/http/connection.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/machine_certificates.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kConnections = 1'000;

Limits roomy() {
    Limits out;
    out.connections = 2 * kConnections;
    out.handshake = 60s;  // two cores shake a thousand hands
    return out;
}

TEST(ManyConnections, AThousandTlsClientsAreServedOverAndOver) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 3 * kConnections) GTEST_SKIP() << "too few descriptors";
    tests::MachineCertificates pki;
    pki.issue("server", "twinsite://arbiter/switchover/sw");
    pki.issue("client", "twinsite://east/agent/if1");
    RunningServer running(roomy());
    const auto at = running.listen_tls(
        {pki.file("server.crt"), pki.file("server.key"), pki.file("ca.pem"), pki.file("crl.pem")}
    );
    auto target = Target::at_tcp(at);
    target.tls = TlsClient{pki.file("ca.pem"), "", pki.file("client.crt"), pki.file("client.key")};
    boost::asio::io_context io;
    std::vector<std::unique_ptr<Connection>> clients;
    for (std::size_t i = 0; i < kConnections; ++i)
        clients.push_back(std::make_unique<Connection>(io.get_executor(), target));
    for (int round = 0; round < 3; ++round) {
        std::size_t good = 0;
        for (auto& client : clients) {
            Request hello;
            hello.target = "/hello";
            boost::asio::co_spawn(
                io,
                client->send(std::move(hello), 60s),
                [&](std::exception_ptr failure, const Result<Response>& got) {
                    if (!failure && got && got->body == "hello twinsite://east/agent/if1") ++good;
                }
            );
        }
        io.restart();
        io.run();
        EXPECT_EQ(good, kConnections) << "round " << round;
        EXPECT_EQ(running.connections(), kConnections);
    }
    EXPECT_EQ(running.counters().accepted, kConnections);
}

}  // namespace
}  // namespace twinsite::base::http
