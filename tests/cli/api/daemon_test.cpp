// SPDX-License-Identifier: Apache-2.0
#include "cli/api/daemon.hpp"

#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/http/server.hpp"

namespace twinsite::cli::api {
namespace {

using namespace std::chrono_literals;

class DaemonTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = "/tmp/twinsite-cli-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string socket() const { return (folder_ / "x.sock").string(); }

    std::filesystem::path folder_;
};

TEST_F(DaemonTest, AnAnswerComesBackAsTheDaemonSentIt) {
    base::http::Router router;
    std::string seen;
    router.add("PUT", "/api/v1/echo/{name}", [&](const auto& request, const auto& parameters) {
        seen = parameters["name"] + "|" + request.body;
        base::http::Response out;
        out.body = R"({"answers": [1,2]})";
        return out;
    });
    boost::asio::io_context io;
    base::http::Server server(io, router);
    ASSERT_TRUE(server.listen_unix(socket()));
    std::thread thread([&] { io.run_for(20s); });
    const auto answer =
        Daemon("gslb", socket(), 5s).call("PUT", "/api/v1/echo/a%2Fb", R"({"x":1})");
    io.stop();
    thread.join();
    EXPECT_EQ(answer.exit, ExitCode::exit_ok) << answer.failure;
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.body, R"({"answers": [1,2]})");
    EXPECT_EQ(answer.failure, "");
    EXPECT_EQ(seen, R"(a/b|{"x":1})");
}

TEST_F(DaemonTest, ARefusalHasItsExitCodeAndTheProblemsWords) {
    base::http::Router router;
    router.add("DELETE", "/api/v1/blades/{name}", [](const auto&, const auto&) {
        return base::http::problem(409, "Blade in use", "b1 has 12 sessions");
    });
    boost::asio::io_context io;
    base::http::Server server(io, router);
    ASSERT_TRUE(server.listen_unix(socket()));
    std::thread thread([&] { io.run_for(20s); });
    const auto answer = Daemon("slb", socket(), 5s).call("DELETE", "/api/v1/blades/b1");
    io.stop();
    thread.join();
    EXPECT_EQ(answer.exit, ExitCode::exit_refused);
    EXPECT_EQ(answer.failure, "slb: Blade in use: b1 has 12 sessions");
}

TEST_F(DaemonTest, NobodyThereIsUnreachableAndNamesTheSocket) {
    const auto answer = Daemon("gslb", socket(), 1s).call("GET", "/api/v1/status");
    EXPECT_EQ(answer.exit, ExitCode::exit_unreachable);
    EXPECT_EQ(answer.status, 0U);
    EXPECT_NE(answer.failure.find(socket()), std::string::npos) << answer.failure;
    EXPECT_NE(answer.failure.find("--socket"), std::string::npos) << answer.failure;
}

TEST_F(DaemonTest, ASilentDaemonTimesOut) {
    // Listening without ever accepting: the kernel completes the connection, nobody answers.
    const int file = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    socket().copy(at.sun_path, sizeof at.sun_path - 1);
    ASSERT_EQ(bind(file, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    ASSERT_EQ(listen(file, 4), 0);
    const auto answer = Daemon("slb", socket(), 100ms).call("GET", "/api/v1/status");
    close(file);
    EXPECT_EQ(answer.exit, ExitCode::exit_timed_out) << answer.failure;
}

TEST(ExitOfStatus, EveryKindOfRefusalHasItsCode) {
    EXPECT_EQ(exit_of_status(200), ExitCode::exit_ok);
    EXPECT_EQ(exit_of_status(204), ExitCode::exit_ok);
    EXPECT_EQ(exit_of_status(400), ExitCode::exit_usage);
    EXPECT_EQ(exit_of_status(404), ExitCode::exit_failed);
    EXPECT_EQ(exit_of_status(409), ExitCode::exit_refused);
    EXPECT_EQ(exit_of_status(422), ExitCode::exit_usage);
    EXPECT_EQ(exit_of_status(500), ExitCode::exit_failed);
    EXPECT_EQ(exit_of_status(504), ExitCode::exit_timed_out);
}

TEST(DescribeProblem, FindingsAndCandidatesAreLinesOfTheirOwn) {
    EXPECT_EQ(
        describe_problem(
            422,
            R"({"title":"Bad configuration","status":422,"detail":"2 findings",)"
            R"("findings":["gslb.yaml:4:11: $.listen: wrong",)"
            R"({"file":"a.zone","line":3,"text":"bad TTL"}]})"
        ),
        "Bad configuration: 2 findings\n"
        "  gslb.yaml:4:11: $.listen: wrong\n"
        "  a.zone:3: bad TTL"
    );
    EXPECT_EQ(
        describe_problem(
            404, R"({"title":"Unknown target","detail":"ocs has no 'x'","candidates":["ocs-east"]})"
        ),
        "Unknown target: ocs has no 'x'\n  known: ocs-east"
    );
}

TEST(DescribeProblem, WhatIsNoProblemIsShownAsItIs) {
    EXPECT_EQ(describe_problem(502, "gateway\x01"), "status 502: gateway\\x01");
}

}  // namespace
}  // namespace twinsite::cli::api
