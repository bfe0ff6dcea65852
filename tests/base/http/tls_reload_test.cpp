// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <sys/resource.h>
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
    /// What was written is taken by the next look.
    static bool refresh(TlsFiles& files, std::chrono::steady_clock::time_point& now) {
        now += 2min;
        return files.refresh(now, std::chrono::system_clock::now() + 10s);
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

/// A connection that stays, and what the server thinks of it.
class KeptConnection {
public:
    explicit KeptConnection(Target target) : connection(io_.get_executor(), std::move(target)) {}
    Result<Response> ask() {
        Request hello;
        hello.target = "/hello";
        return tests::run_to_end(io_, connection.send(std::move(hello), 5s));
    }

private:
    boost::asio::io_context io_;

public:
    Connection connection;
};

TEST_F(TlsReload, ARevokedPeerIsCutOff) {
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    KeptConnection revoked(target(at));
    ASSERT_TRUE(revoked.ask());
    pki_.issue("other", "twinsite://east/agent/if1");
    KeptConnection innocent(target(at, "other"));
    ASSERT_TRUE(innocent.ask());
    pki_.revoke(client_);
    running.refresh_trust();
    EXPECT_FALSE(revoked.ask());
    EXPECT_TRUE(innocent.ask());
    EXPECT_EQ(running.counters().distrusted, 2u) << "cut off, and refused when it came again";
    EXPECT_EQ(running.connections(), 1u);
}

TEST_F(TlsReload, AnOlderListDoesNotLetTheRevokedInAgain) {
    RunningServer running;
    const auto before = file::read_state_file(pki_.file("crl.pem")).value().value();
    pki_.revoke(client_);
    const auto at = running.listen_tls(server_files());
    pki_.write("crl.pem", before);
    running.refresh_trust();
    EXPECT_FALSE(ask(target(at)));
    auto now = std::chrono::steady_clock::now();
    auto files = TlsFiles::for_server(server_files()).value();
    const auto other = pki_.issue("other", "twinsite://east/agent/if1");
    pki_.revoke(other);
    EXPECT_TRUE(refresh(*files, now)) << "a newer one is taken";
}

TEST_F(TlsReload, APeerWhoseCertificateEndsIsCutOff) {
    pki_.issue("client", "twinsite://arbiter/switchover/sw", std::chrono::days(2));
    RunningServer running;
    const auto at = running.listen_tls(server_files());
    KeptConnection ending(target(at));
    ASSERT_TRUE(ending.ask());
    pki_.issue("other", "twinsite://east/agent/if1", std::chrono::days(20));
    KeptConnection other(target(at, "other"));
    ASSERT_TRUE(other.ask());
    running.refresh_trust(std::chrono::days(2) - 10s);
    EXPECT_EQ(running.counters().distrusted, 0u);
    running.refresh_trust(std::chrono::days(2) + 10s);
    running.refresh_trust(std::chrono::days(2) + 10s);
    EXPECT_EQ(running.counters().distrusted, 1u);
    ASSERT_TRUE(ending.ask());
    ASSERT_TRUE(other.ask());
    EXPECT_EQ(running.counters().accepted, 3u) << "the first came again";
}

TEST_F(TlsReload, AClientLeavesAServerWhoseCertificateHasEnded) {
    RunningServer running;
    KeptConnection client(target(running.listen_tls(server_files())));
    ASSERT_TRUE(client.ask());
    const auto now = std::chrono::steady_clock::now();
    client.connection.refresh_trust(now, std::chrono::system_clock::now() + std::chrono::days(9));
    EXPECT_TRUE(client.connection.open());
    client.connection.refresh_trust(now, std::chrono::system_clock::now() + std::chrono::days(11));
    EXPECT_FALSE(client.connection.open());
}

TEST_F(TlsReload, ARevokedPeerThatWaitsForALaterAnswerIsCutOffWithinTwoSeconds) {
    RunningServer running;
    std::promise<void> asked;
    std::promise<void> gone;
    std::optional<Reply> kept;
    running.loop.on_loop([&] {
        running.router
            .add_later("GET", "/wait", [&](const Request&, const PathParameters&, Reply reply) {
                reply.on_gone([&] { gone.set_value(); });
                kept.emplace(std::move(reply));
                asked.set_value();
            });
    });
    const auto at = running.listen_tls(server_files());
    Request wait;
    wait.target = "/wait";
    std::thread client([&] { EXPECT_FALSE(request(target(at), wait, 10s)); });
    EXPECT_EQ(asked.get_future().wait_for(5s), std::future_status::ready);
    pki_.revoke(client_);
    EXPECT_EQ(gone.get_future().wait_for(2s), std::future_status::ready);
    client.join();
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
    running.refresh_trust();
    ASSERT_TRUE(ask(to));
    EXPECT_EQ(seen, "twinsite://east/gslb/renewed");
}

TEST_F(TlsReload, ARenewedClientCertificateIsShownOnAKeptConnection) {
    RunningServer running;
    KeptConnection client(target(running.listen_tls(server_files())));
    ASSERT_TRUE(client.ask());
    pki_.issue("client", "twinsite://arbiter/switchover/renewed");
    client.connection.refresh_trust(
        std::chrono::steady_clock::now() + 2min, std::chrono::system_clock::now() + 10s
    );
    const auto got = client.ask();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello twinsite://arbiter/switchover/renewed");
    EXPECT_EQ(running.counters().accepted, 2u);
}

TEST_F(TlsReload, FilesThatAreNoGoodChangeNothing) {
    auto files = TlsFiles::for_server(server_files()).value();
    auto now = std::chrono::steady_clock::now();
    const auto context = files->context();
    tests::MachineCertificates stranger("another authority");
    const auto foreign = file::read_state_file(stranger.file("crl.pem")).value().value();
    const auto own = file::read_state_file(pki_.file("crl.pem")).value().value();
    for (const auto& broken : {std::string("nonsense"), std::string(), foreign}) {
        pki_.write("crl.pem", broken);
        EXPECT_FALSE(refresh(*files, now));
        EXPECT_EQ(files->context(), context);
    }
    pki_.write("crl.pem", own);
    EXPECT_TRUE(refresh(*files, now));
}

/// The cause may lie elsewhere: no more descriptors, a key that root's tool has not given us yet.
TEST_F(TlsReload, FilesThatCouldNotBeReadAreTriedAgainWithoutAChangeOfTheirs) {
    auto files = TlsFiles::for_server(server_files()).value();
    auto now = std::chrono::steady_clock::now();
    pki_.issue("server", "twinsite://east/gslb/renewed");
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const bool taken_without = refresh(*files, now);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_FALSE(taken_without);
    EXPECT_TRUE(refresh(*files, now));
    EXPECT_EQ(files->context()->own_certificate()->uri, "twinsite://east/gslb/renewed");
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
