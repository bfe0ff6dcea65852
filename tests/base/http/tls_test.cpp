// SPDX-License-Identifier: Apache-2.0
#include "base/http/tls.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/http/client.hpp"
#include "base/http/error.hpp"
#include "base/net/asio.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/raw_connection.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

class HttpTls : public testing::Test {
protected:
    HttpTls() {
        authority_.write(folder_.file("ca.pem"));
        authority_.issue(
            "server",
            "DNS:api.example.net,IP:127.0.0.1",
            folder_.file("server.pem"),
            folder_.file("server.key")
        );
        authority_.issue(
            "nobody",
            "URI:twinsite://east/operator/anna",
            folder_.file("client.pem"),
            folder_.file("client.key")
        );
    }
    TlsServer server_files() const {
        return {folder_.file("server.pem"), folder_.file("server.key"), ""};
    }
    Target target(const net::Endpoint& at, const std::string& name) const {
        auto out = Target::at_tcp(at);
        out.tls = TlsClient{folder_.file("ca.pem"), name, "", ""};
        return out;
    }
    static Request hello() {
        Request out;
        out.target = "/hello";
        return out;
    }

    tests::TemporaryFolder folder_;
    tests::Authority authority_{"test authority"};
};

TEST_F(HttpTls, ServesAClientThatKnowsTheAuthorityAndTheName) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    for (const char* name : {"api.example.net", "127.0.0.1", ""}) {
        const auto got = request(target(at, name), hello(), 5s);
        ASSERT_TRUE(got) << name << got.error().message();
        EXPECT_EQ(got->body, "hello ");
    }
}

TEST_F(HttpTls, AWrongNameOrAnUnknownAuthorityFailsTheHandshake) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    EXPECT_FALSE(request(target(at, "other.example.net"), hello(), 5s));
    EXPECT_FALSE(request(target(at, "127.0.0.2"), hello(), 5s));
    const tests::Authority stranger("stranger");
    stranger.write(folder_.file("stranger.pem"));
    auto distrustful = target(at, "api.example.net");
    distrustful.tls->ca = folder_.file("stranger.pem");
    EXPECT_FALSE(request(distrustful, hello(), 5s));
    EXPECT_EQ(running.counters().requests, 0u);
}

TEST_F(HttpTls, MutualTlsNamesTheClientAndRefusesOneWithoutCertificate) {
    RunningServer running;
    auto files = server_files();
    files.client_ca = folder_.file("ca.pem");
    const auto at = running.listen_tls(files);
    EXPECT_FALSE(request(target(at, "api.example.net"), hello(), 5s));
    auto known = target(at, "api.example.net");
    known.tls->certificate = folder_.file("client.pem");
    known.tls->key = folder_.file("client.key");
    const auto got = request(known, hello(), 5s);
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got->body, "hello twinsite://east/operator/anna");
    EXPECT_EQ(running.counters().requests, 1u);
}

TEST_F(HttpTls, RefusesTls11) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    boost::asio::io_context io;
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
    // Security level 0, else our own side would already refuse to speak it.
    SSL_CTX_set_cipher_list(context.native_handle(), "ALL:@SECLEVEL=0");
    SSL_CTX_ctrl(context.native_handle(), SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_1_VERSION, nullptr);
    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(io, context);
    stream.lowest_layer().connect(net::to_tcp(at));
    Error failure;
    stream.handshake(boost::asio::ssl::stream_base::client, failure);
    ASSERT_TRUE(failure);
    EXPECT_NE(failure.message().find("version"), std::string::npos) << failure.message();
}

TEST_F(HttpTls, ASilentClientIsCutOffAtTheHandshake) {
    Limits limits;
    limits.handshake = 50ms;
    RunningServer running(limits);
    tests::RawConnection silent(running.listen_tls(server_files()));
    EXPECT_TRUE(silent.closed_by_peer());
    EXPECT_EQ(running.counters().timed_out, 1u);
}

TEST_F(HttpTls, PlainHttpOnTheTlsPortDoesNoHarm) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    tests::RawConnection plain(at);
    ASSERT_TRUE(plain.send("GET /hello HTTP/1.1\r\n\r\n"));
    plain.read_to_end();
    EXPECT_TRUE(request(target(at, "api.example.net"), hello(), 5s));
}

TEST_F(HttpTls, StopEndsTlsConnectionsToo) {
    RunningServer running;
    tests::RawConnection silent(running.listen_tls(server_files()));
    while (running.connections() == 0) std::this_thread::yield();
    std::promise<void> stopped;
    running.loop.on_loop([&] { running.server->stop([&] { stopped.set_value(); }); });
    stopped.get_future().wait();
    EXPECT_TRUE(silent.closed_by_peer());
}

TEST_F(HttpTls, FilesThatAreMissingOrDoNotFitAreErrors) {
    auto missing = server_files();
    missing.key = folder_.file("absent.key");
    EXPECT_EQ(TlsContext::for_server(missing).error(), Errc::bad_tls_file);
    auto foreign = server_files();
    foreign.key = folder_.file("client.key");
    EXPECT_EQ(TlsContext::for_server(foreign).error(), Errc::bad_tls_file);
    auto no_ca = server_files();
    no_ca.client_ca = folder_.file("absent.pem");
    EXPECT_EQ(TlsContext::for_server(no_ca).error(), Errc::bad_tls_file);
    EXPECT_EQ(
        TlsContext::for_client({folder_.file("absent.pem"), "x", "", ""}).error(),
        Errc::bad_tls_file
    );
}

}  // namespace
}  // namespace twinsite::base::http
