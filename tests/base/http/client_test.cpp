// SPDX-License-Identifier: Apache-2.0
#include "base/http/client.hpp"

#include <string>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "base/http/async_client.hpp"
#include "base/http/error.hpp"
#include "base/net/asio.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::ip::tcp;

/// Accepts one connection, reads one request header, and answers with fixed bytes.
class ScriptedServer {
public:
    explicit ScriptedServer(std::string answer)
        : acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
          thread_([this, answer = std::move(answer)] { serve(answer); }) {}
    ~ScriptedServer() { thread_.join(); }

    net::Endpoint at() const { return net::from_asio(acceptor_.local_endpoint()); }
    const std::string& request() const { return request_; }
    std::string client() const { return client_; }

private:
    void serve(const std::string& answer) {
        auto socket = acceptor_.accept();
        client_ = socket.remote_endpoint().address().to_string();
        Error ignored;
        asio::read_until(socket, asio::dynamic_buffer(request_), "\r\n\r\n", ignored);
        asio::write(socket, asio::buffer(answer), ignored);
    }

    asio::io_context io_;
    tcp::acceptor acceptor_;
    std::string request_;
    std::string client_;
    std::thread thread_;
};

TEST(HttpClient, SendsMethodTargetHeadersAndBody) {
    RunningServer running;
    Request put;
    put.method = "PUT";
    put.target = "/echo";
    put.body = "{\"a\":1}";
    const auto got = request(Target::at_tcp(running.listen_tcp()), put, 5s);
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got->status, 200u);
    EXPECT_EQ(got->content_type, "application/json");
    EXPECT_EQ(got->body, put.body);
}

TEST(HttpClient, UsesTheHostAndSourceAskedFor) {
    std::string seen;
    std::string from;
    {
        ScriptedServer server("HTTP/1.1 204 No Content\r\n\r\n");
        auto target = Target::at_tcp(server.at());
        target.host = "service.example.net";
        target.bind = net::Endpoint{text::IpAddress::from_v4(0x7F000707), 0};
        const auto got = request(target, Request{}, 5s);
        ASSERT_TRUE(got) << got.error().message();
        EXPECT_EQ(got->status, 204u);
        seen = server.request();
        from = server.client();
    }
    EXPECT_NE(seen.find("Host: service.example.net\r\n"), std::string::npos);
    EXPECT_EQ(from, "127.0.7.7");
}

TEST(HttpClient, NobodyListeningIsAnErrorAtOnce) {
    asio::io_context io;
    tcp::acceptor closed(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    const auto at = net::from_asio(closed.local_endpoint());
    closed.close();
    EXPECT_EQ(request(Target::at_tcp(at), Request{}, 5s).error(), asio::error::connection_refused);
    const tests::TemporaryFolder folder;
    EXPECT_EQ(
        request(Target::at_unix(folder.file("absent")), Request{}, 5s).error(),
        boost::system::errc::no_such_file_or_directory
    );
}

TEST(HttpClient, ASilentServerIsLeftAtTheDeadline) {
    asio::io_context io;
    // Never accepted: the kernel completes the connection all the same.
    const tcp::acceptor silent(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    const auto before = std::chrono::steady_clock::now();
    const auto got =
        request(Target::at_tcp(net::from_asio(silent.local_endpoint())), Request{}, 100ms);
    EXPECT_EQ(got.error(), asio::error::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - before, 100ms);
}

TEST(HttpClient, BrokenAnswersAreErrors) {
    const auto error_of = [](const char* answer) {
        const ScriptedServer server(answer);
        return request(Target::at_tcp(server.at()), Request{}, 5s).error();
    };
    EXPECT_EQ(error_of(""), Errc::closed_early);
    EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), Errc::closed_early);
    EXPECT_EQ(error_of("SSH-2.0-OpenSSH\r\n\r\n"), Errc::malformed);
}

TEST(HttpClient, AnAnswerAboveTheBoundIsRefusedOrCutAsAsked) {
    asio::io_context io;
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x');
    {
        const ScriptedServer server(answer);
        const auto got =
            tests::run_to_end(io, async_request(Target::at_tcp(server.at()), Request{}, 5s, 999));
        EXPECT_EQ(got.error(), Errc::body_too_large);
    }
    {
        const ScriptedServer server(answer);
        const auto got = tests::run_to_end(
            io, async_request_beginning(Target::at_tcp(server.at()), Request{}, 5s, 10)
        );
        ASSERT_TRUE(got) << got.error().message();
        EXPECT_EQ(got->body, "xxxxxxxxxx");
    }
    {  // the beginning does not wait for an end that never comes
        const ScriptedServer server(answer.substr(0, 200));
        const auto got = tests::run_to_end(
            io, async_request_beginning(Target::at_tcp(server.at()), Request{}, 5s, 10)
        );
        ASSERT_TRUE(got) << got.error().message();
        EXPECT_EQ(got->body.size(), 10u);
    }
}

}  // namespace
}  // namespace twinsite::base::http
