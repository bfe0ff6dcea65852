// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/tcp_server.hpp"

#include <chrono>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

#include "gslb/server/publisher.hpp"
#include "gslb/server/transfer_seam.hpp"
#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using base::net::Endpoint;
using namespace std::chrono_literals;

class TcpServerTest : public testing::Test {
protected:
    explicit TcpServerTest(const TcpLimits& limits = {}) {
        Rules rules;
        rules.tcp = limits;
        rule(rules);
        auto socket = open_tcp(loopback());
        endpoint_ = *local_endpoint(*socket);
        listener_ = server_.listen(std::move(*socket));
    }
    std::uint64_t count(std::string_view name) const {
        Totals totals;
        add_to(totals, server_.counters());
        return value_of(totals, name);
    }
    void rule(const Rules& rules) {
        rules_.set(std::make_shared<const Rules>(rules));
        server_.rules_changed();
    }
    Publisher publisher_{make_snapshot(1)};
    RuleBook rules_;
    TcpServer server_{WorkerSeams{publisher_, rules_, 64}};
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
    ShortIdle() : TcpServerTest({100ms, 4096, 0}) {}
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
    FewConnections() : TcpServerTest({10s, 2, 0}) {}
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

class FewOfOneAddress : public TcpServerTest {
protected:
    FewOfOneAddress() : TcpServerTest({10s, 100, 2}) {}
};

TEST_F(FewOfOneAddress, OthersOfTheAddressAreClosedAtOnce) {
    auto first = std::make_unique<Client>(endpoint_, SOCK_STREAM);
    Client second(endpoint_, SOCK_STREAM);
    first->send(framed(query_of("a", "A", 1)));
    second.send(framed(query_of("a", "A", 2)));
    EXPECT_EQ(id_of(first->receive_message()), 1);
    EXPECT_EQ(id_of(second.receive_message()), 2);
    Client third(endpoint_, SOCK_STREAM);
    EXPECT_TRUE(third.sees_end());
    EXPECT_EQ(count("tcp_too_many"), 1u);
    first->end_sending();
    EXPECT_TRUE(first->sees_end());
    Client fourth(endpoint_, SOCK_STREAM);
    fourth.send(framed(query_of("a", "A", 4)));
    EXPECT_EQ(id_of(fourth.receive_message()), 4) << "a place is free again";
}

TEST_F(TcpServerTest, ABurstOfAThousandConnectionsIsAcceptedWithoutAStall) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 1000; ++i)
        clients.push_back(std::make_unique<Client>(endpoint_, SOCK_STREAM));
    for (auto& client : clients) client->send(framed(query_of("a", "A", 1)));
    for (auto& client : clients) ASSERT_EQ(id_of(client->receive_message()), 1);
    EXPECT_EQ(count("tcp_connections"), 1000u);
    // A full backlog would cost a second at least: the client sends its SYN again after one.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_F(TcpServerTest, AnswersOfOneReadLeaveInOneWrite) {
    Client client(endpoint_, SOCK_STREAM);
    tests::Bytes queries;
    constexpr int kQueries = 40;
    for (std::uint16_t id = 0; id < kQueries; ++id) {
        const auto one = framed(query_of("a", "A", id));
        queries.insert(queries.end(), one.begin(), one.end());
    }
    client.send(queries);
    // As one segment, so one read gives all.
    const auto chunk = client.receive_some(65'536);
    EXPECT_EQ(chunk.size(), std::size_t{kQueries} * (2 + 12 + 19 + 16));
}

TEST_F(TcpServerTest, KeepaliveTellsTheIdleLimitOfTheRules) {
    Rules rules;
    rules.conduct.keepalive_100ms = 100;
    rule(rules);
    Client client(endpoint_, SOCK_STREAM);
    tests::Question question{"a.example.net"};
    question.udp_payload = 1232;
    question.options = {0, 11, 0, 0};
    client.send(framed(tests::make_query(question)));
    EXPECT_EQ(
        tests::parse_reply(client.receive_message()).options, (tests::Bytes{0, 11, 0, 2, 0, 100})
    );
}

/// A reply of many large messages; the client's reading sets the pace.
class Stream : public TransferSeam {
public:
    static constexpr std::uint16_t kMessages = 300;
    struct Many : Reply {
        std::size_t next(std::span<std::uint8_t> room) override {
            if (number == kMessages) return 0;
            std::fill(room.begin(), room.end(), std::uint8_t{0});
            room[0] = static_cast<std::uint8_t>(number >> 8);
            room[1] = static_cast<std::uint8_t>(number++);
            return 60'000;
        }
        bool failed() const override { return fails; }
        std::uint16_t number = 0;
        bool fails = false;
    };
    std::unique_ptr<Reply> handle(const Question& question, const Answer&) override {
        if (question.peer.port == 0) return nullptr;
        auto out = std::make_unique<Many>();
        out->fails = question.message[0] == 0xff;
        return out;
    }
};

class WithTransfers : public TcpServerTest {
protected:
    WithTransfers() {
        Rules rules;
        rules.transfers = std::make_shared<Stream>();
        rule(rules);
    }
};

TEST_F(WithTransfers, ALongTransferStandsInOrderWithTheQueriesAroundIt) {
    Client client(endpoint_, SOCK_STREAM);
    auto all = framed(query_of("a", "A", 1000));
    for (const auto& more : {framed(query_of("a", "AXFR", 1)), framed(query_of("a", "A", 1001))})
        all.insert(all.end(), more.begin(), more.end());
    client.send(all);
    EXPECT_EQ(id_of(client.receive_message()), 1000);
    for (std::uint16_t i = 0; i < Stream::kMessages; ++i) {
        const auto message = client.receive_message();
        ASSERT_EQ(message.size(), 60'000u) << i;
        ASSERT_EQ(id_of(message), i);
    }
    EXPECT_EQ(id_of(client.receive_message()), 1001);
    EXPECT_EQ(count("transfers"), 1u);
}

TEST_F(WithTransfers, AFailedTransferEndsTheConnection) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("a", "AXFR", 0xff00)));
    for (std::uint16_t i = 0; i < Stream::kMessages; ++i)
        ASSERT_FALSE(client.receive_message().empty());
    EXPECT_TRUE(client.sees_end());
}

TEST_F(TcpServerTest, TheRingHoldsQueriesOfTcp) {
    Client client(endpoint_, SOCK_STREAM);
    client.send(framed(query_of("a", "A", 1)));
    client.receive_message();
    const auto records = server_.ring().last(5);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].transport, answer::Transport::tcp);
    EXPECT_EQ(records[0].reply_bytes, 12 + 19 + 16);
}

}  // namespace
}  // namespace twinsite::gslb::server
