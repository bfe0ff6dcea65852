// SPDX-License-Identifier: Apache-2.0
#include "base/http/server.hpp"

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/http/client.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/raw_connection.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;
using tests::RawConnection;

constexpr const char* kHello = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n";

std::string status_line(const std::string& answer) {
    return answer.substr(0, answer.find('\r'));
}

TEST(HttpServer, KeepsTheConnectionBetweenRequests) {
    RunningServer running;
    RawConnection client(running.listen_tcp());
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(client.send(kHello));
        const auto answer = client.read_until("hello ");
        EXPECT_EQ(status_line(answer), "HTTP/1.1 200 OK");
        EXPECT_EQ(answer.find("Connection: close"), std::string::npos);
    }
    EXPECT_EQ(running.counters().accepted, 1u);
    EXPECT_EQ(running.counters().requests, 3u);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
    RunningServer running;
    RawConnection client(running.listen_tcp());
    ASSERT_TRUE(
        client.send("PUT /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\none"
                    "PUT /echo HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo")
    );
    const auto answer = client.read_to_end();
    const auto first = answer.find("one");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(answer.find("two", first), std::string::npos);
    EXPECT_TRUE(answer.ends_with("two"));
}

TEST(HttpServer, SendsContinueToAClientThatAsksFirst) {
    RunningServer running;
    RawConnection client(running.listen_tcp());
    ASSERT_TRUE(
        client.send("PUT /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    );
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    ASSERT_TRUE(client.send("ok"));
    EXPECT_TRUE(client.read_until("\r\n\r\nok").ends_with("\r\n\r\nok"));
}

TEST(HttpServer, AnswersBrokenRequestsAndCloses) {
    Limits limits;
    limits.header_bytes = 512;
    limits.body_bytes = 16;
    RunningServer running(limits);
    const auto at = running.listen_tcp();
    const auto answer_to = [&](const std::string& request) {
        RawConnection client(at);
        client.send(request);
        return status_line(client.read_to_end());
    };
    EXPECT_EQ(answer_to("nonsense\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    EXPECT_EQ(
        answer_to("GET / HTTP/1.1\r\nX: " + std::string(1000, 'x')),
        "HTTP/1.1 431 Request Header Fields Too Large"
    );
    EXPECT_EQ(
        answer_to("PUT /echo HTTP/1.1\r\nContent-Length: 17\r\n\r\n"),
        "HTTP/1.1 413 Content Too Large"
    );
    EXPECT_EQ(running.counters().malformed, 3u);
    EXPECT_EQ(
        answer_to("GET /a%zz HTTP/1.1\r\nConnection: close\r\n\r\n"), "HTTP/1.1 400 Bad Request"
    );
    EXPECT_EQ(answer_to("GET /no HTTP/1.1\r\nConnection: close\r\n\r\n"), "HTTP/1.1 404 Not Found");
}

TEST(HttpServer, TheAnswerReachesAClientThatStillSends) {
    Limits limits;
    limits.body_bytes = 16;
    RunningServer running(limits);
    RawConnection client(running.listen_tcp());
    ASSERT_TRUE(client.send("PUT /echo HTTP/1.1\r\nContent-Length: 300000\r\n\r\n"));
    client.send(std::string(300000, 'x'));
    EXPECT_EQ(status_line(client.read_to_end()), "HTTP/1.1 413 Content Too Large");
}

TEST(HttpServer, HeadHasTheLengthButNoBody) {
    RunningServer running;
    RawConnection client(running.listen_tcp());
    ASSERT_TRUE(client.send("HEAD /hello HTTP/1.1\r\nConnection: close\r\n\r\n"));
    const auto answer = client.read_to_end();
    EXPECT_NE(answer.find("Content-Length: 6\r\n"), std::string::npos);
    EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST(HttpServer, ARequestThatComesTooSlowlyGets408) {
    Limits limits;
    limits.read = 50ms;
    RunningServer running(limits);
    RawConnection client(running.listen_tcp());
    ASSERT_TRUE(client.send("GET /hel"));
    EXPECT_EQ(status_line(client.read_to_end()), "HTTP/1.1 408 Request Timeout");
    EXPECT_EQ(running.counters().timed_out, 1u);
}

TEST(HttpServer, AnIdleConnectionIsClosedWithoutAWord) {
    Limits limits;
    limits.idle = 50ms;
    RunningServer running(limits);
    const auto at = running.listen_tcp();
    RawConnection fresh(at);
    EXPECT_TRUE(fresh.closed_by_peer());
    RawConnection used(at);
    ASSERT_TRUE(used.send(kHello));
    EXPECT_FALSE(used.read_until("hello ").empty());
    EXPECT_TRUE(used.closed_by_peer());
    EXPECT_EQ(running.counters().timed_out, 2u);
}

TEST(HttpServer, AClientThatDoesNotReadIsCutOff) {
    Limits limits;
    limits.write = 100ms;
    limits.body_bytes = 64 * 1024 * 1024;
    RunningServer running(limits);
    RawConnection client(running.listen_tcp());
    const std::size_t size = 32 * 1024 * 1024;  // more than both socket buffers hold
    ASSERT_TRUE(
        client.send("PUT /echo HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n")
    );
    ASSERT_TRUE(client.send(std::string(size, 'x')));
    while (running.counters().timed_out == 0) std::this_thread::yield();
    EXPECT_LT(client.read_to_end().size(), size);
}

TEST(HttpServer, AtTheLimitTheLongestIdleConnectionMakesRoom) {
    Limits limits;
    limits.connections = 2;
    RunningServer running(limits);
    const auto at = running.listen_tcp();
    RawConnection first(at);
    ASSERT_TRUE(first.send(kHello));
    ASSERT_FALSE(first.read_until("hello ").empty());
    RawConnection second(at);
    ASSERT_TRUE(second.send(kHello));
    ASSERT_FALSE(second.read_until("hello ").empty());
    RawConnection third(at);
    ASSERT_TRUE(third.send(kHello));
    EXPECT_FALSE(third.read_until("hello ").empty());
    EXPECT_TRUE(first.closed_by_peer());
    ASSERT_TRUE(second.send(kHello));
    EXPECT_FALSE(second.read_until("hello ").empty());
}

TEST(HttpServer, AtTheLimitWithNobodyIdleTheNewConnectionIsRefused) {
    Limits limits;
    limits.connections = 1;
    RunningServer running(limits);
    const auto at = running.listen_tcp();
    RawConnection busy(at);
    ASSERT_TRUE(busy.send("PUT /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    );
    ASSERT_FALSE(busy.read_until("\r\n\r\n").empty());  // in the middle of its request
    RawConnection refused(at);
    EXPECT_TRUE(refused.closed_by_peer());
    EXPECT_EQ(running.counters().refused, 1u);
    ASSERT_TRUE(busy.send("ok"));
    EXPECT_TRUE(busy.read_until("ok").ends_with("ok"));
}

TEST(HttpServer, StopLetsTheRunningAnswerFinishAndClosesTheRest) {
    Limits limits;
    limits.body_bytes = 64 * 1024 * 1024;
    RunningServer running(limits);
    const auto at = running.listen_tcp();
    RawConnection idle(at);
    ASSERT_TRUE(idle.send(kHello));
    ASSERT_FALSE(idle.read_until("hello ").empty());
    RawConnection reading(at);
    const std::size_t size = 16 * 1024 * 1024;
    std::promise<void> stopped;
    // The handler itself calls stop: its own answer must still arrive whole.
    running.loop.on_loop([&] {
        running.router.add("GET", "/stop", [&](const Request&, const PathParameters&) {
            running.server->stop([&] { stopped.set_value(); });
            Response out;
            out.body = std::string(size, 'x');
            return out;
        });
    });
    ASSERT_TRUE(reading.send("GET /stop HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(idle.closed_by_peer());
    const auto answer = reading.read_to_end();
    EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
    EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, size);
    stopped.get_future().wait();
    EXPECT_EQ(running.connections(), 0u);
    EXPECT_FALSE(RawConnection(at).connected());
}

TEST(HttpServer, StopWithoutConnectionsCallsBackAtOnceAndMayBeRepeated) {
    RunningServer running;
    running.listen_tcp();
    for (int i = 0; i < 2; ++i) {
        std::promise<void> stopped;
        running.loop.on_loop([&] { running.server->stop([&] { stopped.set_value(); }); });
        stopped.get_future().wait();
    }
}

TEST(HttpServer, DestructionCutsEverythingOff) {
    RunningServer running;
    const auto at = running.listen_tcp();
    RawConnection idle(at);
    ASSERT_TRUE(idle.send(kHello));
    ASSERT_FALSE(idle.read_until("hello ").empty());
    RawConnection half(at);
    ASSERT_TRUE(half.send("GET /hel"));
    running.loop.on_loop([&] { running.server.reset(); });
    EXPECT_TRUE(idle.closed_by_peer());
    EXPECT_TRUE(half.closed_by_peer());
}

TEST(HttpServer, TheLoopNeedNotRunAfterDestruction) {
    Router router;
    auto io = std::make_unique<boost::asio::io_context>(1);
    Server server(*io, router);
    const auto at = server.listen_tcp(RunningServer::localhost()).value();
    RawConnection client(at);
    ASSERT_TRUE(client.send("GET / HT"));
    while (server.connections() == 0) io->run_one();
    io->poll();
}

TEST(HttpServer, APortInUseIsAnError) {
    RunningServer running;
    const auto at = running.listen_tcp();
    const auto again = running.loop.on_loop([&] { return running.server->listen_tcp(at); });
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), boost::system::errc::address_in_use);
}

TEST(HttpServer, ServesManyClientsAtOnce) {
    RunningServer running;
    const auto at = running.listen_tcp();
    std::vector<std::thread> clients;
    std::atomic<int> good{0};
    for (int i = 0; i < 8; ++i)
        clients.emplace_back([&] {
            for (int n = 0; n < 20; ++n) {
                Request request;
                request.method = "PUT";
                request.target = "/echo";
                request.body = std::string(1000, 'a');
                const auto got = http::request(Target::at_tcp(at), request, 5s);
                if (got && got->status == 200 && got->body == request.body) ++good;
            }
        });
    for (auto& client : clients) client.join();
    EXPECT_EQ(good, 160);
}

}  // namespace
}  // namespace twinsite::base::http
