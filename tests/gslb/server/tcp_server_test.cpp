// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_server.hpp"

#include <chrono>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

#include "gslb/server/publisher.hpp"
#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using base::net::Endpoint;
using namespace std::chrono_literals;

class TcpServerTest : public testing::Test {
protected:
    explicit TcpServerTest(const TcpLimits& limits = {}) : server_(publisher_, limits) {
        auto socket = open_tcp(loopback());
        endpoint_ = *local_endpoint(*socket);
        listener_ = server_.listen(std::move(*socket));
    }
    std::uint64_t count(std::string_view name) const {
        Totals totals;
        add_to(totals, server_.counters());
        return value_of(totals, name);
    }
    Publisher publisher_{make_snapshot(1)};
    TcpServer server_;
    Endpoint endpoint_;
    TcpServer::ListenerId listener_ = 0;
};

TEST_F(TcpServerTest, PipelinedQueriesAreAllAnsweredInOrder) {
    Client client(endpoint_, SOCK_STREAM);
    tests::Bytes queries;
    constexpr std::uint16_t kQueries = 1000;
    for (std::uint16_t id = 0; id < kQueries; ++id) {
        const auto one = framed(query_of("a", "A", id));
        queries.insert(queries.end(), one.begin(), one.end());
    }
    client.send(queries);
    for (std::uint16_t id = 0; id < kQueries; ++id) ASSERT_EQ(id_of(client.receive_message()), id);
    EXPECT_EQ(count("tcp"), kQueries);
    EXPECT_EQ(count("tcp_connections"), 1u);
}

TEST_F(TcpServerTest, AQueryMayComeByteByByte) {
    Client client(endpoint_, SOCK_STREAM);
    for (int round = 0; round < 2; ++round)
        for (const std::uint8_t byte : framed(query_of("a", "A", 5))) client.send({byte});
    EXPECT_EQ(id_of(client.receive_message()), 5);
    EXPECT_EQ(id_of(client.receive_message()), 5);
}

TEST_F(TcpServerTest, LargeRepliesComeWhole) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("big", "TXT", 5)));
    const auto reply = tests::parse_reply(client.receive_message());
    EXPECT_EQ(reply.answer.size(), 40u);
    EXPECT_EQ(reply.flags & 0x0200, 0) << "not truncated";
}

TEST_F(TcpServerTest, ALongQueryIsReadToItsEnd) {
    Client client(endpoint_, SOCK_STREAM);
    auto query = query_of("a", "A", 5);
    query.resize(65'535);
    client.send(framed(query));
    EXPECT_EQ(id_of(client.receive_message()), 5);
    client.send(framed(query_of("a", "A", 6)));
    EXPECT_EQ(id_of(client.receive_message()), 6);
}

TEST_F(TcpServerTest, LengthsThatNoMessageHasEndTheConnection) {
    for (std::uint8_t length = 0; length < 12; ++length) {
        Client client(endpoint_, SOCK_STREAM);
        client.send({0, length, 1, 2, 3});
        EXPECT_TRUE(client.sees_end()) << int{length};
    }
    EXPECT_EQ(count("tcp_bad_length"), 12u);
}

TEST_F(TcpServerTest, AReplyInPlaceOfAQueryEndsTheConnection) {
    Client client(endpoint_, SOCK_STREAM);
    auto reply = query_of("a", "A", 1);
    reply[2] |= 0x80;
    client.send(framed(reply));
    EXPECT_TRUE(client.sees_end());
}

TEST_F(TcpServerTest, AClientThatStopsSendingStillGetsItsReplies) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("a", "A", 5)));
    client.end_sending();
    EXPECT_EQ(id_of(client.receive_message()), 5);
    EXPECT_TRUE(client.sees_end());
}

TEST_F(TcpServerTest, StoppingAnswersWhatHasArrived) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("a", "A", 1)));
    EXPECT_EQ(id_of(client.receive_message()), 1);
    Client waiting(endpoint_, SOCK_STREAM);  // perhaps not accepted yet
    client.send(framed(query_of("a", "A", 2)));
    waiting.send(framed(query_of("a", "A", 3)));
    server_.stop();
    EXPECT_EQ(id_of(client.receive_message()), 2);
    EXPECT_TRUE(client.sees_end());
    EXPECT_EQ(id_of(waiting.receive_message()), 3);
    EXPECT_TRUE(waiting.sees_end());
}

TEST_F(TcpServerTest, ClosingAListenerKeepsItsConnections) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("a", "A", 1)));
    EXPECT_EQ(id_of(client.receive_message()), 1);
    server_.close(listener_);
    EXPECT_THROW(Client(endpoint_, SOCK_STREAM), std::runtime_error);
    client.send(framed(query_of("a", "A", 2)));
    EXPECT_EQ(id_of(client.receive_message()), 2);
}

TEST_F(TcpServerTest, ManyConnectionsAreServedAtOnce) {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 200; ++i)
        clients.push_back(std::make_unique<Client>(endpoint_, SOCK_STREAM));
    for (auto& client : clients) client->send(framed(query_of("a", "A", 1)));
    for (auto& client : clients) EXPECT_EQ(id_of(client->receive_message()), 1);
}

class ShortIdle : public TcpServerTest {
protected:
    ShortIdle() : TcpServerTest({100ms, 4096, 1232}) {}
};

TEST_F(ShortIdle, SilentConnectionsAreClosed) {
    Client client(endpoint_, SOCK_STREAM);
    EXPECT_TRUE(client.sees_end());
    EXPECT_EQ(count("tcp_idle_closed"), 1u);
}

TEST_F(ShortIdle, ADripOfBytesDoesNotHoldAConnection) {
    Client client(endpoint_, SOCK_STREAM);
    const auto begin = std::chrono::steady_clock::now();
    // A query of 65,535 bytes that comes one byte at a time.
    client.send({0xff, 0xff});
    std::uint64_t closed = 0;
    while (closed == 0 && std::chrono::steady_clock::now() - begin < 5s) {
        client.try_send({0});
        ::poll(nullptr, 0, 5);
        closed = count("tcp_idle_closed");
    }
    EXPECT_EQ(closed, 1u);
}

TEST_F(ShortIdle, AClientThatNeverReadsIsClosed) {
    Client client(endpoint_, SOCK_STREAM);
    const auto query = framed(query_of("big", "TXT", 1));
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t closed = 0;
    while (closed == 0 && std::chrono::steady_clock::now() - begin < 10s) {
        if (!client.try_send(query)) ::poll(nullptr, 0, 5);
        closed = count("tcp_idle_closed");
    }
    EXPECT_EQ(closed, 1u);
}

class FewConnections : public TcpServerTest {
protected:
    FewConnections() : TcpServerTest({10s, 2, 1232}) {}
};

TEST_F(FewConnections, TheLongestIdleMakesRoom) {
    Client first(endpoint_, SOCK_STREAM);
    first.send(framed(query_of("a", "A", 1)));
    EXPECT_EQ(id_of(first.receive_message()), 1);
    Client second(endpoint_, SOCK_STREAM);
    second.send(framed(query_of("a", "A", 2)));
    EXPECT_EQ(id_of(second.receive_message()), 2);
    first.send(framed(query_of("a", "A", 3)));
    EXPECT_EQ(id_of(first.receive_message()), 3);
    Client third(endpoint_, SOCK_STREAM);
    third.send(framed(query_of("a", "A", 4)));
    EXPECT_EQ(id_of(third.receive_message()), 4);
    EXPECT_TRUE(second.sees_end()) << "first has asked later than second";
    first.send(framed(query_of("a", "A", 5)));
    EXPECT_EQ(id_of(first.receive_message()), 5);
    EXPECT_EQ(count("tcp_crowded_out"), 1u);
}

}  // namespace
}  // namespace twinsite::gslb::server
