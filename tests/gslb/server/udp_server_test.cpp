// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_server.hpp"

#include <atomic>
#include <set>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gslb/server/transfer_seam.hpp"
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
        server = std::make_unique<UdpServer>(WorkerSeams{publisher, rules, 64}, endpoint);
        std::vector<Socket> sockets;
        sockets.push_back(std::move(*socket));
        server->add(std::move(sockets));
    }
    void rule(const Rules& next) { rules.set(std::make_shared<const Rules>(next)); }
    std::uint64_t count(std::string_view name) const {
        Totals totals;
        server->add_counters(totals);
        return value_of(totals, name);
    }
    Endpoint endpoint;
    RuleBook rules;
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
    Rules rules;
    rules.conduct.udp_payload_v4_bytes = 4000;
    running.rule(rules);
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
    const RuleBook rules;
    UdpServer server({publisher, rules}, endpoint);
    std::vector<Socket> sockets;
    sockets.push_back(std::move(*socket));
    server.add(std::move(sockets));
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
        running.server->add(*running.server->open_more(3));
        running.server->shrink(1, totals);
    }
    const std::uint64_t answered = first.finish() + second.finish();
    running.server->shrink(0, totals);
    EXPECT_EQ(value_of(totals, "noerror"), answered);
}

TEST(UdpServer, EachFamilyHasAPayloadLimitOfItsOwn) {
    Publisher publisher(make_snapshot(1));
    Rules rules;
    rules.conduct.udp_payload_v4_bytes = 1400;
    rules.conduct.udp_payload_v6_bytes = 1280;
    tests::Question question{"a.example.net"};
    question.udp_payload = 4096;
    for (const auto& [address, bytes] : {std::pair("127.0.0.1", 1400), std::pair("::1", 1280)}) {
        Running running(publisher, address);
        running.rule(rules);
        Client client(running.endpoint, SOCK_DGRAM);
        int told = 0;
        for (int i = 0; i < 100 && told != bytes; ++i) {  // with one of the next batches
            client.send(tests::make_query(question));
            told = tests::parse_reply(client.receive()).udp_payload;
        }
        EXPECT_EQ(told, bytes);
    }
}

TEST(UdpServer, FloodsOfOneNetworkAreLimitedButNotThoseWithACookie) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    Rules rules;
    rules.rate_limit.per_second = 5;
    rules.rate_limit.slip = 2;
    running.rule(rules);
    Client client(running.endpoint, SOCK_DGRAM);
    tests::Question question{"a.example.net"};
    question.udp_payload = 1232;
    question.options = {0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    client.send(tests::make_query(question));
    auto options = tests::parse_reply(client.receive()).options;
    ASSERT_EQ(options.size(), 28u);
    // Without a cookie every other one over the limit comes back cut, to be asked over TCP.
    constexpr int kFlood = 400;
    for (int i = 0; i < kFlood; ++i) client.send(query_of("a", "A", 1));
    question.options = options;
    constexpr int kSound = 50;
    question.id = 2;
    for (int i = 0; i < kSound; ++i) client.send(tests::make_query(question));
    int sound = 0;
    int cut = 0;
    int whole = 0;
    while (sound < kSound) {
        const auto reply = tests::parse_reply(client.receive());
        if (reply.id == 2) {
            ++sound;
            EXPECT_EQ(reply.answer.size(), 1u);
        } else {
            ++((reply.flags & 0x0200) != 0 ? cut : whole);
            EXPECT_EQ(reply.answer.empty(), (reply.flags & 0x0200) != 0);
        }
    }
    const auto dropped = static_cast<int>(running.count("rate_dropped"));
    EXPECT_EQ(static_cast<int>(running.count("rate_cut")), cut);
    EXPECT_EQ(whole + cut + dropped, kFlood);
    EXPECT_LT(whole, kFlood / 4);
    EXPECT_GT(cut, kFlood / 4);
}

TEST(UdpServer, TheRingTellsTheLastQueriesTheLatestFirst) {
    Publisher publisher(make_snapshot(7));
    Running running(publisher);
    Client client(running.endpoint, SOCK_DGRAM);
    client.send(query_of("a", "A", 1));
    client.receive();
    client.send(query_of("nowhere", "AAAA", 2));
    client.receive();
    client.send({1, 2, 3});
    client.send(query_of("a", "TXT", 3));
    client.receive();
    // The entry is written when the reply is composed, thus before it is sent.
    const auto records = running.server->workers().at(0)->ring().last(3);
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[0].type, 16);
    EXPECT_EQ(records[0].outcome.kind, answer::Outcome::Kind::no_data);
    EXPECT_EQ(records[1].reply_bytes, 0);
    EXPECT_TRUE(records[1].name.empty());
    EXPECT_EQ(records[2].type, 28);
    EXPECT_EQ(records[2].outcome.rcode, 3);
    EXPECT_EQ(records[2].snapshot, 7u);
    EXPECT_EQ(to_string(records[2].client.address), "127.0.0.1");
    EXPECT_EQ(std::string(records[2].name.begin() + 1, records[2].name.begin() + 8), "nowhere");
}

TEST(UdpServer, LettingGoLeavesWhatWaitsToAnotherReader) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    // Another process would get this by SCM_RIGHTS.
    const Socket same(::dup(running.server->workers().at(0)->socket().number()));
    Client client(running.endpoint, SOCK_DGRAM);
    client.send(query_of("a", "A", 1));
    EXPECT_EQ(id_of(client.receive()), 1);
    Totals totals;
    running.server->let_go(totals);
    EXPECT_EQ(value_of(totals, "noerror"), 1u);
    client.send(query_of("a", "A", 2));
    UdpServer next({publisher, running.rules}, running.endpoint);
    std::vector<Socket> sockets;
    sockets.emplace_back(::dup(same.number()));
    next.add(std::move(sockets));
    EXPECT_EQ(id_of(client.receive()), 2);
}

/// Answers NOTIFY with one byte more, and nothing else.
class Echo : public TransferSeam {
public:
    struct One : Reply {
        explicit One(tests::Bytes bytes_) : bytes(std::move(bytes_)) {}
        std::size_t next(std::span<std::uint8_t> room) override {
            std::copy(bytes.begin(), bytes.end(), room.begin());
            return std::exchange(bytes, {}).size();
        }
        tests::Bytes bytes;
    };
    std::unique_ptr<Reply> handle(const Question& question, const Answer&) override {
        tests::Bytes out(question.message.begin(), question.message.end());
        out[2] |= 0x80;
        return std::make_unique<One>(std::move(out));
    }
};

TEST(UdpServer, NotifyGoesToTheTransferSideAndOnlyThat) {
    Publisher publisher(make_snapshot(1));
    Running running(publisher);
    auto notify = query_of("a", "SOA", 4);
    notify[2] = 4 << 3;
    Client client(running.endpoint, SOCK_DGRAM);
    client.send(notify);
    EXPECT_EQ(client.receive().at(3), 4) << "not implemented without a transfer side";
    Rules rules;
    rules.transfers = std::make_shared<Echo>();
    running.rule(rules);
    tests::Bytes reply;
    for (int i = 0; i < 100 && reply.size() != notify.size(); ++i) {
        client.send(notify);
        reply = client.receive();
    }
    EXPECT_EQ(reply.at(2), 0x80 | 4 << 3);
    client.send(query_of("a", "A", 5));
    EXPECT_EQ(tests::parse_reply(client.receive()).answer.size(), 1u);
    EXPECT_GE(running.count("transfers"), 1u);
}

}  // namespace
}  // namespace twinsite::gslb::server
