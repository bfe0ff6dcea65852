// SPDX-License-Identifier: Apache-2.0
// The commands for a switchover server, against its API with a fake backend behind it.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/daemon/daemon.hpp"
#include "cli/command_line.hpp"
#include "cli/switchover_text.hpp"
#include "tests/switchover/api/world.hpp"

namespace twinsite::cli {
namespace {

using base::daemon::ExitCode;
using switchover::api::FakeBackend;
using switchover::api::kIf1;
using switchover::api::kOperator;
using switchover::api::Refusal;
using switchover::api::RunView;
using switchover::api::World;

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

class SwitchoverCommands : public testing::Test {
protected:
    Outcome as(const char* identity, std::vector<std::string> words) {
        const auto target = world_.machine_target(identity);
        words.insert(
            words.end(), {"--server", to_string(target.address), "--tls", target.tls->certificate}
        );
        return run_words(std::move(words));
    }
    Outcome call(std::vector<std::string> words) { return as(kOperator, std::move(words)); }
    static bool has(const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    }
    World world_;
};

TEST_F(SwitchoverCommands, StatusSaysTheMostImportantFirst) {
    world_.on_loop([&] {
        auto& shown = world_.backend.shown;
        shown.server.node = "sw-arbiter";
        shown.server.leader = true;
        shown.blind = {true, "no other site is heard"};
        switchover::api::SiteView site;
        site.name = "east";
        site.state = "FAILED";
        site.evidence.need = 2;
        site.evidence.have = 2;
        shown.sites = {site};
    });
    call({"pause", "--reason", "works", "--until", "10m"});
    const auto status = call({"status"});
    EXPECT_EQ(status.exit, ExitCode::exit_ok) << status.err;
    EXPECT_EQ(status.out.find("sw-arbiter"), 0U);
    EXPECT_TRUE(has(status.out, "PAUSED by twinsite://east/operator/li: works, until 20"));
    EXPECT_TRUE(has(status.out, "BLIND: no other site is heard"));
    EXPECT_TRUE(has(status.out, "FAILED"));
    EXPECT_TRUE(has(status.out, "2 of 2"));
    const auto json = call({"status", "-o", "json"});
    EXPECT_EQ(boost::json::parse(json.out).at("server").at("node").as_string(), "sw-arbiter");
    EXPECT_EQ(call({"unpause"}).exit, ExitCode::exit_ok);
    EXPECT_EQ(call({"unpause"}).exit, ExitCode::exit_refused);
}

TEST_F(SwitchoverCommands, HostsAndWhyAreTables) {
    const auto hosts = call({"hosts", "--site", "east"});
    EXPECT_EQ(hosts.exit, ExitCode::exit_ok);
    EXPECT_TRUE(has(hosts.out, "east/proc1  processing  UNKNOWN stale"));
    EXPECT_FALSE(has(hosts.out, "west/if1"));
    const auto why = call({"why", "site-east-down"});
    EXPECT_TRUE(has(why.out, "site-east-down: held"));
    EXPECT_TRUE(has(why.out, "blind")) << why.out;
    EXPECT_TRUE(has(why.out, "1 of 3"));
    EXPECT_EQ(call({"why", "other"}).exit, ExitCode::exit_failed);
}

TEST_F(SwitchoverCommands, RunsAreStartedListedAndSteered) {
    const auto started = call({"run", "start", "site-east-down", "--reason", "drill"});
    EXPECT_EQ(started.exit, ExitCode::exit_ok) << started.err;
    EXPECT_TRUE(has(started.out, "run r01-1: RUNNING"));
    EXPECT_FALSE(world_.on_loop([&] { return world_.backend.requests[0].idempotency_key; }).empty()
    );
    EXPECT_TRUE(has(call({"run", "list"}).out, "r01-1  site-east-down  RUNNING"));
    EXPECT_TRUE(has(call({"run", "show"}).out, "pin"));
    EXPECT_EQ(call({"run", "abort", "r01-1", "--reason", "enough"}).exit, ExitCode::exit_ok);
    EXPECT_EQ(call({"run", "answer", "r01-1", "yes"}).exit, ExitCode::exit_ok);
    EXPECT_EQ(call({"run", "answer", "r01-1", "perhaps"}).exit, ExitCode::exit_usage);
    EXPECT_EQ(call({"run", "abort"}).exit, ExitCode::exit_usage);
    const auto orders = world_.on_loop([&] { return world_.backend.orders; });
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_EQ(orders[0].reason, "enough");
    EXPECT_EQ(orders[1].answer, "yes");
}

TEST_F(SwitchoverCommands, ARefusalNamesItsRuleAndGates) {
    world_.on_loop([&] {
        world_.backend.refusal =
            Refusal{409, "blind", "the judge is blind", {FakeBackend::gate("blind", false)}};
    });
    const auto refused = call({"run", "start", "site-east-down"});
    EXPECT_EQ(refused.exit, ExitCode::exit_refused);
    EXPECT_TRUE(has(refused.err, "rule: blind"));
    EXPECT_TRUE(has(refused.err, "blind: has 1 of 3, needs 2 of 3"));
    call({"run", "start", "site-east-down", "--override", "blind=seen by eye"});
    const auto request = world_.on_loop([&] { return world_.backend.requests.back(); });
    ASSERT_EQ(request.overrides.size(), 1U);
    EXPECT_EQ(request.overrides[0].reason, "seen by eye");
    EXPECT_EQ(
        call({"run", "start", "site-east-down", "--override", "blind"}).exit, ExitCode::exit_usage
    );
}

TEST_F(SwitchoverCommands, WatchEndsWithTheRun) {
    const auto put = [&](const char* state, bool ended) {
        world_.on_loop([&] {
            RunView run;
            run.id = "r01-1";
            run.state = state;
            if (ended) run.ended_wall = 5;
            world_.backend.kept_runs["r01-1"] = run;
        });
    };
    put("RUNNING", false);
    const auto waiting = call({"run", "watch", "--for", "1ms"});
    EXPECT_EQ(waiting.exit, ExitCode::exit_timed_out);
    EXPECT_TRUE(has(waiting.out, "run: RUNNING"));
    put("SUCCEEDED", true);
    EXPECT_EQ(call({"run", "watch"}).exit, ExitCode::exit_ok);
    put("FAILED", true);
    EXPECT_EQ(call({"run", "watch", "r01-1"}).exit, ExitCode::exit_failed);
    EXPECT_EQ(call({"run", "watch", "r01-9"}).exit, ExitCode::exit_failed);
}

TEST_F(SwitchoverCommands, JsonIsJsonWhateverHappens) {
    EXPECT_EQ(
        boost::json::parse(call({"run", "list", "-o", "json"}).out).at("runs").as_array().size(), 0U
    );
    const auto none = call({"run", "show", "-o", "json"});
    EXPECT_EQ(none.exit, ExitCode::exit_failed);
    EXPECT_EQ(boost::json::parse(none.out).at("status").as_int64(), 404);
    const auto unknown = call({"why", "other", "-o", "json"});
    EXPECT_EQ(boost::json::parse(unknown.out).at("rule").as_string(), "not-found");
    const auto misused = run_words({"status", "-o", "json", "--server", "x", "--tls", "y"});
    EXPECT_EQ(misused.exit, ExitCode::exit_usage);
    EXPECT_TRUE(misused.out.empty());
    EXPECT_TRUE(has(misused.err, "'x' is not a server"));
}

TEST_F(SwitchoverCommands, ModesAndTheAudit) {
    EXPECT_EQ(call({"mode", "site-east-down", "semi"}).out, "site-east-down is now semi\n");
    EXPECT_EQ(call({"mode", "site-east-down", "perhaps"}).exit, ExitCode::exit_usage);
    const auto list = call({"audit", "list"});
    EXPECT_TRUE(has(list.out, "mode.set"));
    EXPECT_EQ(call({"audit", "verify"}).out, "whole: 1 lines\n");
}

TEST_F(SwitchoverCommands, WhoMayNotIsRefusedAndWhoIsAwayIsUnreachable) {
    EXPECT_EQ(as(kIf1, {"status"}).exit, ExitCode::exit_refused);
    const auto certificate = world_.machine_target(kOperator).tls->certificate;
    EXPECT_EQ(
        run_words({"status", "--server", "127.0.0.1:9", "--tls", certificate}).exit,
        ExitCode::exit_unreachable
    );
    const auto good = to_string(world_.machine_target(kOperator).address);
    EXPECT_EQ(
        run_words({"status", "--server", "127.0.0.1:9," + good, "--tls", certificate}).exit,
        ExitCode::exit_ok
    );
    EXPECT_EQ(
        run_words({"status", "--server", "nowhere", "--tls", certificate}).exit,
        ExitCode::exit_usage
    );
    EXPECT_EQ(
        run_words({"status", "--server", good, "--tls", "/nowhere/x.crt"}).exit,
        ExitCode::exit_unreachable
    );
}

TEST_F(SwitchoverCommands, ThePlaceMayStandInAFile) {
    const auto target = world_.machine_target(kOperator);
    std::filesystem::create_directories(world_.folder.file(".config"));
    const auto file = world_.folder.file(".config/twinsite.yaml");
    std::ofstream(file) << "server: " << to_string(target.address)
                        << "\ntls: " << target.tls->certificate << "\n";
    const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
    ::setenv("HOME", world_.folder.path().c_str(), 1);
    const auto good = run_words({"status"});
    std::ofstream(file) << "servers: x\n";
    const auto bad = run_words({"status"});
    ::unlink(file.c_str());
    const auto none = run_words({"status"});
    ::setenv("HOME", home.c_str(), 1);
    EXPECT_EQ(good.exit, ExitCode::exit_ok) << good.err;
    EXPECT_EQ(bad.exit, ExitCode::exit_usage);
    EXPECT_TRUE(has(bad.err, "unknown key 'servers'")) << bad.err;
    EXPECT_EQ(none.exit, ExitCode::exit_usage);
    EXPECT_TRUE(has(none.err, "--server"));
}

TEST(SwitchoverText, ShowsNoControlCharacters) {
    EXPECT_EQ(clean("a\x1b[2Jb\nc\x7f"), "a [2Jb c ");
    EXPECT_EQ(
        clean("\xc2\x9b"
              "31m"),
        "  31m"
    );
    EXPECT_EQ(clean("\xe4\xb8\x9c \xc3\xa9"), "\xe4\xb8\x9c \xc3\xa9");
    EXPECT_EQ(hosts_text("not json"), "no hosts\n");
    for (const auto* body : {"", "[]", "{\"sites\":7,\"runs\":[],\"server\":null}", "null"}) {
        EXPECT_FALSE(overview_text(body).empty());
        EXPECT_FALSE(run_text(body).empty());
        EXPECT_FALSE(why_text(body).empty());
    }
}

}  // namespace
}  // namespace twinsite::cli
