// SPDX-License-Identifier: Apache-2.0
// The whole program but its process, against a control API that writes down what it is asked.
#include "cli/command_line.hpp"

#include <cstdlib>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "base/daemon/daemon.hpp"
#include "base/http/server.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::cli {
namespace {

using base::daemon::ExitCode;
using base::http::PathParameters;
using base::http::Request;
using base::http::Response;

struct Outcome {
    int exit = -1;
    std::string out;
    std::string err;
};

Outcome run_words(std::vector<std::string> words) {
    words.insert(words.begin(), "twinsite");
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome out;
    out.exit = run(static_cast<int>(arguments.size()), arguments.data());
    std::fflush(stdout);
    out.out = testing::internal::GetCapturedStdout();
    out.err = testing::internal::GetCapturedStderr();
    return out;
}

class CommandLineTest : public testing::Test {
protected:
    void SetUp() override {
        for (const auto* method : {"GET", "PUT", "POST", "DELETE"})
            for (const auto* path : {"/api/v1/{a}", "/api/v1/{a}/{b}", "/api/v1/{a}/{b}/{c}"})
                router_.add(method, path, [this](const Request& request, const PathParameters&) {
                    asked_ = request.method + " " + request.target;
                    body_ = request.body;
                    return answer_;
                });
        loop_.on_loop([this] {
            server_ = std::make_unique<base::http::Server>(loop_.io(), router_);
            EXPECT_TRUE(server_->listen_unix(socket()));
        });
    }
    void TearDown() override {
        loop_.on_loop([this] { server_.reset(); });
        loop_.join();
    }
    std::string socket() const { return folder_.file("control.sock"); }
    Outcome ask(std::vector<std::string> words) {
        words.insert(words.end(), {"--socket", socket()});
        return run_words(std::move(words));
    }

    tests::TemporaryFolder folder_;
    base::http::Router router_;
    Response answer_;
    std::string asked_;
    std::string body_;
    tests::Loop loop_;
    std::unique_ptr<base::http::Server> server_;
};

TEST_F(CommandLineTest, EveryCommandAsksItsOwnQuestion) {
    answer_.body = "{}";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"gslb", "explain", "ocs.example.net"}, "GET /api/v1/explain?name=ocs.example.net&type=A"},
        {{"gslb", "explain", "a.example", "AAAA", "--client", "::1", "--subnet", "10.1.0.0/16"},
         "GET /api/v1/explain?name=a.example&type=AAAA&client=%3A%3A1&subnet=10.1.0.0%2F16"},
        {{"gslb", "override", "clear", "ocs", "a", "--force"},
         "DELETE /api/v1/overrides/ocs/a?force=1"},
        {{"gslb", "override", "clear", "ocs", "site:east"}, "DELETE /api/v1/overrides/ocs/site:east"
        },
        {{"gslb", "override", "list"}, "GET /api/v1/overrides"},
        {{"gslb", "stats"}, "GET /api/v1/stats"},
        {{"gslb", "status"}, "GET /api/v1/status"},
        {{"gslb", "reload"}, "POST /api/v1/reload"},
        {{"slb", "blades"}, "GET /api/v1/blades"},
        {{"slb", "add", "b3", "127.0.1.33:3868"}, "POST /api/v1/blades"},
        {{"slb", "drain", "b 1"}, "POST /api/v1/blades/b%201/drain"},
        {{"slb", "activate", "b1"}, "POST /api/v1/blades/b1/activate"},
        {{"slb", "remove", "b1"}, "DELETE /api/v1/blades/b1"},
        {{"slb", "remove", "b1", "--force"}, "DELETE /api/v1/blades/b1?force=1"},
        {{"slb", "stats"}, "GET /api/v1/stats"},
        {{"slb", "status"}, "GET /api/v1/status"},
        {{"slb", "reload"}, "POST /api/v1/reload"},
    };
    for (const auto& [words, question] : cases) {
        asked_.clear();
        const auto outcome = ask(words);
        EXPECT_EQ(outcome.exit, ExitCode::exit_ok) << question << ": " << outcome.err;
        EXPECT_EQ(asked_, question);
        EXPECT_EQ(outcome.err, "");
        EXPECT_NE(outcome.out, "") << question;
    }
}

TEST_F(CommandLineTest, AnOverrideCarriesReasonAuthorAndTtl) {
    answer_.body = "{}";
    const auto outcome = ask(
        {"gslb",
         "override",
         "set",
         "ocs",
         "ocs-east",
         "drain",
         "--reason",
         "say \"why\"",
         "--author",
         "li",
         "--ttl",
         "2h"}
    );
    EXPECT_EQ(outcome.exit, ExitCode::exit_ok) << outcome.err;
    EXPECT_EQ(asked_, "PUT /api/v1/overrides/ocs/ocs-east");
    EXPECT_EQ(body_, R"({"state":"drain","reason":"say \"why\"","author":"li","ttl_s":7200})");
}

TEST_F(CommandLineTest, TheUserIsTheAuthorWhenNoneIsNamed) {
    answer_.body = "{}";
    setenv("SUDO_USER", "wang", 1);
    ask({"gslb", "override", "set", "ocs", "ocs-east", "up", "--reason", "x"});
    unsetenv("SUDO_USER");
    EXPECT_EQ(body_, R"({"state":"up","reason":"x","author":"wang"})");
}

TEST_F(CommandLineTest, ForceIsToldOnlyWhenAskedFor) {
    answer_.body = "{}";
    ask({"gslb", "override", "set", "ocs", "x", "up", "--reason", "x", "--author", "li", "--force"}
    );
    EXPECT_EQ(body_, R"({"state":"up","reason":"x","author":"li","force":true})");
}

TEST_F(CommandLineTest, JsonIsWhatTheDaemonSent) {
    answer_.body = "{ \"blades\" : [ ] ,\"x\":1}";
    const auto outcome = ask({"-o", "json", "slb", "blades"});
    EXPECT_EQ(outcome.exit, ExitCode::exit_ok);
    EXPECT_EQ(outcome.out, answer_.body + "\n");
}

TEST_F(CommandLineTest, ProblemsHaveTheirExitCodesAndAreShown) {
    const std::vector<std::pair<unsigned, int>> cases = {
        {404, ExitCode::exit_failed},
        {409, ExitCode::exit_refused},
        {422, ExitCode::exit_usage},
        {500, ExitCode::exit_failed},
    };
    for (const auto& [status, exit] : cases) {
        answer_ = base::http::problem(status, "A title", "and a detail");
        const auto as_text = ask({"gslb", "reload"});
        EXPECT_EQ(as_text.exit, exit) << status;
        EXPECT_EQ(as_text.out, "");
        EXPECT_EQ(as_text.err, "gslb: A title: and a detail\n");
        const auto as_json = ask({"gslb", "reload", "-o", "json"});
        EXPECT_EQ(as_json.exit, exit) << status;
        EXPECT_EQ(as_json.out, answer_.body + "\n");
        EXPECT_EQ(as_json.err, "");
    }
}

TEST_F(CommandLineTest, AReloadThatIsStillReadIsATimeOut) {
    answer_.status = 202;
    answer_.body = R"({"state":"still reading"})";
    const auto as_text = ask({"gslb", "reload"});
    EXPECT_EQ(as_text.exit, ExitCode::exit_timed_out);
    EXPECT_EQ(as_text.err, "still reading; the daemon's log tells what comes of it\n");
    const auto as_json = ask({"gslb", "reload", "-o", "json"});
    EXPECT_EQ(as_json.exit, ExitCode::exit_timed_out);
    EXPECT_EQ(as_json.out, answer_.body + "\n");
}

TEST_F(CommandLineTest, TheEnvironmentNamesTheSocketOfEachDaemon) {
    answer_.body = "{}";
    setenv("TWINSITE_SLB_SOCKET", socket().c_str(), 1);
    const auto slb = run_words({"slb", "stats"});
    unsetenv("TWINSITE_SLB_SOCKET");
    EXPECT_EQ(slb.exit, ExitCode::exit_ok) << slb.err;
}

TEST(CommandLine, NobodyAtTheSocketIsUnreachable) {
    const auto outcome = run_words({"slb", "blades", "--socket", "/nowhere/slb.sock"});
    EXPECT_EQ(outcome.exit, ExitCode::exit_unreachable);
    EXPECT_NE(outcome.err.find("/nowhere/slb.sock"), std::string::npos) << outcome.err;
    const auto json = run_words({"slb", "blades", "--socket", "/nowhere/slb.sock", "-o", "json"});
    EXPECT_EQ(json.exit, ExitCode::exit_unreachable);
    EXPECT_EQ(json.out.substr(0, 1), "{") << json.out;
}

TEST(CommandLine, BadUsageIsTwo) {
    const std::vector<std::vector<std::string>> cases = {
        {},
        {"gslb"},
        {"frobnicate"},
        {"gslb", "stats", "--colour"},
        {"gslb", "explain"},
        {"gslb", "stats", "-o", "xml"},
        {"gslb", "stats", "--timeout", "5"},
        {"gslb", "override", "set", "ocs", "x", "sideways", "--reason", "r"},
        {"gslb", "override", "set", "ocs", "x", "up"},
        {"gslb", "override", "set", "ocs", "x", "up", "--reason", "r", "--ttl", "soon"},
        {"slb", "add", "b1"},
        {"slb", "add", "b1", "localhost:3868"},
        {"slb", "add", "b1", "127.0.0.1"},
        {"demo", "start", "--state", "/tmp/x", "--net", "10.0"},
        {"demo", "start", "--state", "/tmp/x", "--net", "127.10"},
        {"demo", "break", "--state", "/tmp/x"},
        {"demo", "break", "rack", "east", "--state", "/tmp/x"},
        {"demo", "traffic", "--rate", "0"},
    };
    for (const auto& words : cases) {
        const auto outcome = run_words(words);
        EXPECT_EQ(outcome.exit, ExitCode::exit_usage) << testing::PrintToString(words);
        EXPECT_EQ(outcome.out, "") << testing::PrintToString(words);
        EXPECT_NE(outcome.err, "") << testing::PrintToString(words);
    }
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    EXPECT_EQ(run_words({"--version"}).out, "twinsite " TWINSITE_VERSION "\n");
    const auto help = run_words({"gslb", "explain", "--help"});
    EXPECT_EQ(help.exit, ExitCode::exit_ok);
    EXPECT_NE(help.out.find("--subnet"), std::string::npos);
}

TEST(CommandLine, ADemoThatIsNotThereIsAFailureButStoppingItIsNot) {
    const tests::TemporaryFolder folder;
    const auto state = folder.file("demo");
    EXPECT_EQ(run_words({"demo", "status", "--state", state}).exit, ExitCode::exit_failed);
    EXPECT_EQ(run_words({"demo", "heal", "--state", state}).exit, ExitCode::exit_failed);
    EXPECT_EQ(run_words({"demo", "traffic", "--state", state}).exit, ExitCode::exit_failed);
    EXPECT_EQ(
        run_words({"demo", "break", "site", "east", "--state", state}).exit, ExitCode::exit_failed
    );
    EXPECT_EQ(run_words({"demo", "stop", "--state", state}).exit, ExitCode::exit_ok);
}

}  // namespace
}  // namespace twinsite::cli
