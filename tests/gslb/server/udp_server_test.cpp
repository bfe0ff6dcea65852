// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_server.hpp"

#include <atomic>
#include <set>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>

#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using base::net::Endpoint;
using base::text::parse_ip;

/// Opens one socket first, to learn a free port.
struct Running {
    explicit Running(Publisher& publisher, const char* address = "127.0.0.1") {
        auto socket = open_udp({*parse_ip(address), 0});
        EXPECT_TRUE(socket) << socket.error().message();
        endpoint = *local_endpoint(*socket);
        server = std::make_unique<UdpServer>(publisher, endpoint);
        std::vector<Socket> sockets;
        sockets.push_back(std::move(*socket));
        server->add(std::move(sockets), 1232);
    }
    Endpoint endpoint;
    std::unique_ptr<UdpServer> server;
};

TEST(UdpServer, AnswersOnBothFamilies) {
    Publisher publisher(make_snapshot(1));
    for (const char* const address : {"127.0.0.1", "::1"}) {
        Running running(publisher, address);
        Client client(running.endpoint, SOCK_DGRAM);
        client.send(query_of("a", "A", 7));
        const auto reply = tests::parse_reply(client.receive());
        EXPECT_EQ(reply.id, 7);
        EXPECT_EQ(reply.answer, (std::vector<std::string>{"a.example.net. 300 in a 192.0.2.1"}));
    }
}

TEST(UdpServer, OnEveryAddressRepliesComeFromTheOneAsked) {
    Publisher publisher(make_snapshot(1));
    Running all4(publisher, "0.0.0.0");
    // A connected client hears nothing from any other address than the one it asked.
    for (const char* const address : {"127.0.0.1", "127.1.2.3", "127.0.0.1"}) {
        Client client({*parse_ip(address), all4.endpoint.port}, SOCK_DGRAM);
        client.send(query_of("a", "A", 8));
        const auto reply = client.receive();
        ASSERT_FALSE(reply.empty()) << address;
        EXPECT_EQ(id_of(reply), 8);
    }
    Running all6(publisher, "::");
    Client client({*parse_ip("::1"), all6.endpoint.port}, SOCK_DGRAM);
    client.send(query_of("a", "A", 9));
    EXPECT_EQ(id_of(client.receive()), 9);
}

TEST(UdpServer, WhatIsNoQueryGetsNoReplyAndDoesNoHarm) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    Client client(running.endpoint, SOCK_DGRAM);
    client.send({});
    client.send({1, 2, 3});
    client.send(tests::Bytes(60'000, 0xff));
    auto reply = query_of("a", "A", 1);
    reply[2] |= 0x80;
    client.send(reply);
    client.send(query_of("a", "A", 2));
    // 60,000 bytes of ones are a reply as well. So the next thing heard is the answer to 2.
    EXPECT_EQ(id_of(client.receive()), 2);
    Totals totals;
    running.server->add_counters(totals);
    EXPECT_EQ(value_of(totals, "dropped"), 4u);
    EXPECT_EQ(value_of(totals, "noerror"), 1u);
    EXPECT_EQ(value_of(totals, "udp"), 5u);
}

TEST(UdpServer, RepliesKeepToThePayloadLimit) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    Client client(running.endpoint, SOCK_DGRAM);
    tests::Question question;
    question.name = "big.example.net";
    question.type = "TXT";
    question.udp_payload = 4096;
    client.send(tests::make_query(question));
    EXPECT_EQ(tests::parse_reply(client.receive()).udp_payload, 1232);
    running.server->set_payload_bytes(4000);
    // The worker takes the new limit with one of the next batches.
    for (int i = 0; i < 100; ++i) {
        client.send(tests::make_query(question));
        if (tests::parse_reply(client.receive()).udp_payload == 4000) return;
    }
    FAIL() << "the limit never changed";
}

TEST(UdpServer, StoppingAnswersWhatWasReceivedBefore) {
    Publisher publisher(make_snapshot(1));
    auto socket = open_udp(loopback());
    ASSERT_TRUE(socket);
    const Endpoint endpoint = *local_endpoint(*socket);
    Client client(endpoint, SOCK_DGRAM);
    constexpr std::uint16_t kQueries = 200;
    for (std::uint16_t id = 0; id < kQueries; ++id) client.send(query_of("a", "A", id));
    UdpServer server(publisher, endpoint);
    std::vector<Socket> sockets;
    sockets.push_back(std::move(*socket));
    server.add(std::move(sockets), 1232);
    Totals totals;
    server.shrink(0, totals);
    EXPECT_EQ(server.worker_count(), 0u);
    EXPECT_EQ(value_of(totals, "udp"), kQueries);
    for (std::uint16_t id = 0; id < kQueries; ++id) ASSERT_EQ(id_of(client.receive()), id);
}

/// Keeps `window` queries under way until told to stop; every one must be answered.
class Load {
public:
    explicit Load(const Endpoint& server)
        : client_(server, SOCK_DGRAM), thread_([this] { run(); }) {}
    /// Queries answered; none lost, else the test fails.
    std::uint64_t finish() {
        stop_ = true;
        thread_.join();
        EXPECT_EQ(lost_, 0u);
        return answered_;
    }

private:
    void run() {
        constexpr std::size_t kWindow = 16;
        std::set<std::uint16_t> open;
        std::uint16_t next = 0;
        while (!stop_ || !open.empty()) {
            while (!stop_ && open.size() < kWindow) {
                client_.send(query_of("v", "TXT", next));
                open.insert(next++);
            }
            const auto reply = client_.receive();
            if (reply.empty()) {
                lost_ += open.size();
                return;
            }
            if (open.erase(id_of(reply)) == 1) ++answered_;
        }
    }
    Client client_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> answered_{0};
    std::uint64_t lost_ = 0;
    std::thread thread_;
};

TEST(UdpServer, PublishingUnderLoadLosesNothing) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    Load first(running.endpoint);
    Load second(running.endpoint);
    for (std::uint64_t i = 2; i < 100; ++i) publisher.publish(make_snapshot(i));
    EXPECT_GT(first.finish(), 0u);
    EXPECT_GT(second.finish(), 0u);
    Client client(running.endpoint, SOCK_DGRAM);
    client.send(query_of("v", "TXT", 1));
    EXPECT_EQ(
        tests::parse_reply(client.receive()).answer,
        (std::vector<std::string>{"v.example.net. 300 in txt \"99\""})
    );
}

TEST(UdpServer, ChangingTheNumberOfWorkersUnderLoadLosesNothing) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    Load first(running.endpoint);
    Load second(running.endpoint);
    Totals totals;
    for (int i = 0; i < 50; ++i) {
        running.server->add(*running.server->open_more(3), 1232);
        running.server->shrink(1, totals);
    }
    const std::uint64_t answered = first.finish() + second.finish();
    running.server->shrink(0, totals);
    EXPECT_EQ(value_of(totals, "noerror"), answered);
}

}  // namespace
}  // namespace twinsite::gslb::server
