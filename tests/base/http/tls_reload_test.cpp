// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/http/client.hpp"
#include "base/http/connection.hpp"
#include "base/http/error.hpp"
#include "base/http/tls_files.hpp"
#include "base/net/asio.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/machine_certificates.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;

class TlsReload : public testing::Test {
protected:
    TlsReload() {
        pki_.issue("server", "twinsite://east/gslb/gslb-east");
        client_ = pki_.issue("client", "twinsite://arbiter/switchover/sw");
    }
    TlsServer server_files() const {
        return {
            pki_.file("server.crt"),
            pki_.file("server.key"),
            pki_.file("ca.pem"),
            pki_.file("crl.pem")
        };
    }
    Target target(const net::Endpoint& at, const std::string& stem = "client") const {
        auto out = Target::at_tcp(at);
        out.tls =
            TlsClient{pki_.file("ca.pem"), "", pki_.file(stem + ".crt"), pki_.file(stem + ".key")};
        out.tls->crl = pki_.file("crl.pem");
        return out;
    }
    static Request hello() {
        Request out;
        out.target = "/hello";
        return out;
    }
    static Result<Response> ask(const Target& target) { return request(target, hello(), 5s); }
    /// Until `done`, but not for ever: 5 s.
    template <class Done>
    static bool eventually(Done done) {
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!done()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(20ms);
        }
        return true;
    }

    tests::MachineCertificates pki_;
    crypto::Certificate client_;
};

TEST_F(TlsReload, TheUriOfTheCertificateIsTheIdentity) {
    RunningServer running;
    const auto got = ask(target(running.listen_tls(server_files())));
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got->body, "hello twinsite://arbiter/switchover/sw");
}

TEST_F(TlsReload, AServerThatIsSomebodyElseIsRefused) {
    RunningServer running;
    auto to = target(running.listen_tls(server_files()));
    std::string seen;
    to.tls->accept_identity = [&](std::string_view uri) {
        seen = uri;
        return uri == "twinsite://east/slb/slb-east";
    };
    EXPECT_EQ(ask(to).error(), Errc::wrong_identity);
    EXPECT_EQ(seen, "twinsite://east/gslb/gslb-east");
    to.tls->accept_identity = [](std::string_view uri) { return uri.ends_with("/gslb-east"); };
    EXPECT_TRUE(ask(to));
    EXPECT_EQ(running.counters().requests, 1u);
}

TEST_F(TlsReload, ARevokedClientGetsNoConnection) {
    pki_.revoke(client_);
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    EXPECT_FALSE(ask(target(at)));
    pki_.issue("other", "twinsite://east/agent/if1");
    EXPECT_TRUE(ask(target(at, "other")));
    EXPECT_EQ(running.counters().distrusted, 1u);
}

TEST_F(TlsReload, ARevokedServerIsRefusedByItsClients) {
    const auto server = pki_.issue("server", "twinsite://east/gslb/gslb-east");
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    ASSERT_TRUE(ask(target(at)));
    pki_.revoke(server);
    EXPECT_FALSE(ask(target(at)));
}

TEST_F(TlsReload, ARevokedPeerIsCutOffWithinTwoSeconds) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    boost::asio::io_context io;
    Connection connection(io.get_executor(), target(at));
    ASSERT_TRUE(tests::run_to_end(io, connection.send(hello(), 5s)));
    pki_.issue("other", "twinsite://east/agent/if1");
    Connection innocent(io.get_executor(), target(at, "other"));
    ASSERT_TRUE(tests::run_to_end(io, innocent.send(hello(), 5s)));
    ASSERT_EQ(running.connections(), 2u);
    const auto before = std::chrono::steady_clock::now();
    pki_.revoke(client_);
    EXPECT_TRUE(eventually([&] { return running.connections() == 1; }));
    EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
    EXPECT_EQ(running.counters().distrusted, 1u);
    EXPECT_FALSE(tests::run_to_end(io, connection.send(hello(), 5s)));
    EXPECT_TRUE(tests::run_to_end(io, innocent.send(hello(), 5s)));
}

TEST_F(TlsReload, ARevokedPeerThatWaitsForALaterAnswerIsCutOffToo) {
    RunningServer running;
    std::atomic<int> asked = 0;
    std::atomic<int> gone = 0;
    std::optional<Reply> kept;
    running.loop.on_loop([&] {
        running.router
            .add_later("GET", "/wait", [&](const Request&, const PathParameters&, Reply reply) {
                reply.on_gone([&] { ++gone; });
                kept.emplace(std::move(reply));
                ++asked;
            });
    });
    const auto at = running.listen_tls(server_files());
    Request wait;
    wait.target = "/wait";
    std::thread client([&] { EXPECT_FALSE(request(target(at), wait, 5s)); });
    EXPECT_TRUE(eventually([&] { return asked == 1; }));
    pki_.revoke(client_);
    client.join();
    EXPECT_TRUE(eventually([&] { return gone == 1; }));
    running.loop.on_loop([&] { kept.reset(); });
}

TEST_F(TlsReload, ARenewedServerCertificateIsTaken) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    auto to = target(at);
    std::string seen;
    to.tls->accept_identity = [&](std::string_view uri) {
        seen = uri;
        return true;
    };
    ASSERT_TRUE(ask(to));
    pki_.issue("server", "twinsite://east/gslb/renewed");
    EXPECT_TRUE(eventually([&] { return ask(to) && seen.ends_with("/renewed"); }));
}

TEST_F(TlsReload, ARenewedClientCertificateIsShownOnAKeptConnection) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    boost::asio::io_context io;
    Connection connection(io.get_executor(), target(at));
    ASSERT_TRUE(tests::run_to_end(io, connection.send(hello(), 5s)));
    pki_.issue("client", "twinsite://arbiter/switchover/renewed");
    EXPECT_TRUE(eventually([&] {
        const auto got = tests::run_to_end(io, connection.send(hello(), 5s));
        return got && got->body == "hello twinsite://arbiter/switchover/renewed";
    }));
    EXPECT_EQ(running.counters().accepted, 2u);
}

TEST_F(TlsReload, FilesThatAreNoGoodChangeNothing) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    auto files = TlsFiles::for_server(server_files()).value();
    const auto context = files->context();
    tests::MachineCertificates stranger("another authority");
    const auto foreign = file::read_state_file(stranger.file("crl.pem")).value().value();
    const auto own = file::read_state_file(pki_.file("crl.pem")).value().value();
    for (const auto& broken : {std::string("nonsense"), std::string(), foreign}) {
        pki_.write("crl.pem", broken);
        std::this_thread::sleep_for(3 * file::Watch::kPeriod);  // what it takes to be looked at
        EXPECT_FALSE(files->refresh());
        EXPECT_EQ(files->context(), context);
    }
    pki_.write("crl.pem", own);
    EXPECT_TRUE(eventually([&] { return files->refresh(); }));
    EXPECT_TRUE(ask(target(at)));
}

TEST_F(TlsReload, AMissingListIsAnErrorAtTheStart) {
    auto files = server_files();
    files.crl = pki_.file("absent.pem");
    EXPECT_EQ(TlsContext::for_server(files).error(), Errc::bad_tls_file);
}

/// A blocking client with OpenSSL's own means.
class PlainTlsClient {
public:
    PlainTlsClient(const tests::MachineCertificates& pki, const net::Endpoint& at, long newest)
        : context_(boost::asio::ssl::context::tls_client), stream_(io_, context_) {
        context_.use_certificate_chain_file(pki.file("client.crt"));
        context_.use_private_key_file(pki.file("client.key"), boost::asio::ssl::context::pem);
        // The stream was made before: it takes from the context only what it is given here.
        SSL_use_certificate_chain_file(stream_.native_handle(), pki.file("client.crt").c_str());
        SSL_use_PrivateKey_file(
            stream_.native_handle(), pki.file("client.key").c_str(), SSL_FILETYPE_PEM
        );
        SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_MAX_PROTO_VERSION, newest, nullptr);
        stream_.lowest_layer().connect(net::to_tcp(at));
        stream_.handshake(boost::asio::ssl::stream_base::client, failure_);
    }
    const Error& failure() const { return failure_; }
    SSL* handle() { return stream_.native_handle(); }
    void ask_hello() {
        const std::string text = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
        stream_.write_some(boost::asio::buffer(text));
        std::string answer(1024, '\0');
        stream_.read_some(boost::asio::buffer(answer));
    }

private:
    boost::asio::io_context io_;
    boost::asio::ssl::context context_;
    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
    Error failure_;
};

TEST_F(TlsReload, MutualTlsIs13AndNothingCanBeResumed) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    PlainTlsClient old(pki_, at, TLS1_2_VERSION);
    EXPECT_TRUE(old.failure());
    PlainTlsClient client(pki_, at, TLS1_3_VERSION);
    ASSERT_FALSE(client.failure()) << client.failure().message();
    client.ask_hello();
    EXPECT_STREQ(SSL_get_version(client.handle()), "TLSv1.3");
    SSL_SESSION* session = SSL_get1_session(client.handle());
    EXPECT_EQ(SSL_SESSION_is_resumable(session), 0);
    SSL_SESSION_free(session);
}

TEST_F(TlsReload, WithoutClientCertificates12IsAllowed) {
    RunningServer running;
    auto files = server_files();
    files.client_ca.clear();
    files.crl.clear();
    PlainTlsClient old(pki_, running.listen_tls(files), TLS1_2_VERSION);
    EXPECT_FALSE(old.failure()) << old.failure().message();
}

}  // namespace
}  // namespace twinsite::base::http
