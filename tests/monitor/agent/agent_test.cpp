// SPDX-License-Identifier: Apache-2.0
#include "monitor/agent/agent.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "tests/monitor/fake_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::agent {
namespace {

using std::chrono::milliseconds;
using tests::FakeServer;
using tests::run_until;
using wire::contract::CommandState;

constexpr const char* kServer = "twinsite://arbiter/switchover/sw";
constexpr milliseconds kInterval{200};

class AgentTest : public ::testing::Test {
protected:
    AgentTest()
        : servers_(folder_.path()), signer_(servers_.issue(kServer, base::crypto::Use::signing)) {
        servers_.issue_files("twinsite://east/agent/if1", "if1");
        clocks_.wall_ms = [this] { return wall_ms_; };
    }
    ~AgentTest() override { end(); }

    /// What runs ends before what it refers to.
    void end() {
        if (!agent_) return;
        boost::asio::post(io_, [this] { agent_->stop(); });
        io_.restart();
        io_.run_for(milliseconds(50));
        agent_.reset();
    }

    void start(const std::vector<const FakeServer*>& servers) {
        end();
        AgentConfig config;
        config.links.self = {"east", "agent", "if1"};
        for (const auto* server : servers) config.links.servers.push_back(server->endpoint());
        config.links.interval = kInterval;
        config.links.tls.certificate = servers_.file("if1.crt");
        config.links.tls.key = servers_.file("if1.key");
        config.links.tls.ca = servers_.ca();
        config.links.tls.crl = servers_.crl();
        config.kind = "interface";
        config.version = "test";
        config.state_directory = folder_.path();
        config.memory = {~0ULL, ~0ULL};
        agent_ = std::make_unique<Agent>(
            io_.get_executor(),
            config,
            clocks_,
            [] {
                wire::contract::Sample cpu;
                cpu.collector = "cpu";
                cpu.numbers = {{"idle", 97.5}};
                return std::vector<wire::contract::Sample>{cpu};
            },
            [] {}
        );
        agent_->start();
    }
    /// A signed command whose effect is one more line in a file.
    wire::contract::Command make_command(const std::string& op_id) const {
        wire::contract::Command out;
        out.op_id = op_id;
        out.agent = "east/if1";
        out.action = "count";
        out.fence = {1, 3};
        out.valid_for_ms = 60'000;
        out.server = kServer;
        tests::Servers::sign(out, signer_);
        return out;
    }
    void use_action() const {
        std::ofstream script(folder_.file("count.sh"));
        script << "#!/bin/sh\necho x >> " << folder_.file("effects") << "\n";
        script.close();
        std::filesystem::permissions(folder_.file("count.sh"), std::filesystem::perms(0755));
        action::Action count;
        count.name = "count";
        count.command = {folder_.file("count.sh")};
        agent_->use({{"count", count}});
    }
    std::size_t effects() const {
        std::error_code missing;
        const auto size = std::filesystem::file_size(folder_.file("effects"), missing);
        return missing ? 0 : size / 2;
    }

    tests::TemporaryFolder folder_;
    tests::Servers servers_;
    base::crypto::Issued signer_;
    std::uint64_t wall_ms_ = 1'700'000'000'000;
    report::Clocks clocks_;
    boost::asio::io_context io_;
    std::unique_ptr<Agent> agent_;
};

TEST_F(AgentTest, ReportsToEveryServer) {
    FakeServer one(io_, servers_, "one");
    FakeServer two(io_, servers_, "two", "twinsite://east/monitor/mon-east");
    start({&one, &two});
    ASSERT_TRUE(run_until(io_, [&] { return one.reports.size() >= 3 && two.reports.size() >= 3; }));
    for (const auto* server : {&one, &two})
        for (std::uint64_t at = 0; at < 3; ++at) {
            const auto& report = server->reports[at];
            EXPECT_EQ(server->peers[at], "twinsite://east/agent/if1");
            EXPECT_EQ(report.site, "east");
            EXPECT_EQ(report.name, "if1");
            EXPECT_EQ(report.role, "interface");
            EXPECT_EQ(report.seq, at + 1);
            EXPECT_FALSE(report.backfill);
            EXPECT_LT(report.age_ms, 5'000U);
            EXPECT_EQ(report.interval_ms, 200U);
            ASSERT_EQ(report.samples.size(), 2U);
            EXPECT_EQ(report.samples[0].collector, "cpu");
            EXPECT_EQ(report.samples[1].collector, "self");
        }
}

TEST_F(AgentTest, WhatAServerMissedComesAfterTheNewestAndIsMarked) {
    FakeServer server(io_, servers_, "one");
    server.stop();
    start({&server});
    ASSERT_TRUE(run_until(io_, [&] { return agent_->seq() >= 4; }));
    EXPECT_GE(agent_->backlog(0), 3U);
    server.start();
    ASSERT_TRUE(run_until(io_, [&] { return agent_->backlog(0) == 0; }));
    EXPECT_FALSE(server.reports.front().backfill);
    EXPECT_GE(server.reports.front().seq, 4U);
    std::uint64_t newest = 0;
    std::vector<std::uint64_t> seen;
    for (const auto& report : server.reports) {
        EXPECT_EQ(report.backfill, report.seq < newest) << report.seq;
        newest = std::max(newest, report.seq);
        seen.push_back(report.seq);
    }
    std::sort(seen.begin(), seen.end());
    for (std::uint64_t at = 0; at < seen.size(); ++at) EXPECT_EQ(seen[at], at + 1) << "none twice";
}

TEST_F(AgentTest, WhatWaitsSurvivesARestart) {
    FakeServer server(io_, servers_, "one");
    server.stop();
    start({&server});
    ASSERT_TRUE(run_until(io_, [&] { return agent_->seq() >= 3; }));
    agent_->drain([] {});
    server.start();
    start({&server});
    ASSERT_TRUE(run_until(io_, [&] {
        return std::count_if(server.reports.begin(), server.reports.end(), [](const auto& report) {
                   return report.backfill;
               }) >= 3;
    }));
    std::set<std::string> runs;
    for (const auto& report : server.reports) runs.insert(report.boot_id);
    EXPECT_EQ(runs.size(), 2U);
}

TEST_F(AgentTest, ServersOfAnotherRoleOrSiteGetNothing) {
    FakeServer gslb(io_, servers_, "one", "twinsite://east/gslb/g");
    FakeServer foreign(io_, servers_, "two", "twinsite://west/monitor/mon-west");
    start({&gslb, &foreign});
    ASSERT_TRUE(run_until(io_, [&] {
        return agent_->links().state(0).failed >= 2 && agent_->links().state(1).failed >= 2;
    }));
    EXPECT_TRUE(gslb.reports.empty());
    EXPECT_TRUE(foreign.reports.empty());
}

// M-T6, the agent's half: handed out again and again, the operation has one effect.
TEST_F(AgentTest, ACommandHasOneEffectAndItsResultComesBack) {
    FakeServer server(io_, servers_, "one");
    start({&server});
    use_action();
    server.order(make_command("op-1"));
    server.order(make_command("op-1"));
    ASSERT_TRUE(run_until(io_, [&] {
        return !server.results.empty() && server.results.back().state == CommandState::done;
    }));
    EXPECT_EQ(effects(), 1U);
    EXPECT_EQ(server.results.back().agent, "east/if1");
    // The server died before it wrote the result down, and asks again.
    server.results.clear();
    server.order(make_command("op-1"));
    ASSERT_TRUE(run_until(io_, [&] { return !server.results.empty(); }));
    EXPECT_EQ(server.results.back().state, CommandState::done);
    EXPECT_EQ(effects(), 1U);
    ASSERT_TRUE(run_until(io_, [&] {
        return !server.reports.empty() &&
               server.reports.back().fence == wire::contract::Fence{1, 3};
    })) << "reports tell the highest fence";
}

TEST_F(AgentTest, AForgedCommandIsRefusedAndTheServerLearnsWhy) {
    FakeServer server(io_, servers_, "one");
    start({&server});
    use_action();
    auto command = make_command("op-1");
    command.params["more"] = "x";
    server.order(command);
    ASSERT_TRUE(run_until(io_, [&] { return !server.results.empty(); }));
    EXPECT_EQ(server.results.back().state, CommandState::refused);
    EXPECT_TRUE(server.results.back().reason.starts_with("bad_signature:"));
    EXPECT_EQ(effects(), 0U);
}

// M-T14: an hour forth and back on the wall clock.
TEST_F(AgentTest, TheWallClockChangesNeitherIntervalsNorAges) {
    FakeServer server(io_, servers_, "one");
    server.wall_ms = wall_ms_;
    start({&server});
    ASSERT_TRUE(run_until(io_, [&] { return server.reports.size() >= 2; }));
    for (const std::int64_t jump : {3'600'000, -7'200'000}) {
        wall_ms_ += static_cast<std::uint64_t>(jump);
        const auto count = server.reports.size();
        const auto begun = std::chrono::steady_clock::now();
        ASSERT_TRUE(run_until(io_, [&] { return server.reports.size() >= count + 5; }));
        const auto took = std::chrono::steady_clock::now() - begun;
        EXPECT_GT(took, 3 * kInterval);
        for (auto at = server.reports.end() - 4; at != server.reports.end(); ++at) {
            EXPECT_FALSE(at->backfill);
            EXPECT_LT(at->age_ms, 5'000U);
        }
        const auto skew = agent_->links().state(0).skew_ms;
        EXPECT_EQ(skew, static_cast<std::int64_t>(server.wall_ms - wall_ms_)) << "but it is shown";
    }
}

TEST_F(AgentTest, AServerThatSaysNoIsAskedAgainWithTheNewest) {
    FakeServer server(io_, servers_, "one");
    server.status = 503;
    start({&server});
    ASSERT_TRUE(run_until(io_, [&] { return agent_->links().state(0).failed >= 2; }));
    server.status = 200;
    ASSERT_TRUE(run_until(io_, [&] { return !server.reports.empty(); }));
    EXPECT_FALSE(server.reports.front().backfill);
    EXPECT_EQ(server.reports.front().seq, agent_->seq());
}

}  // namespace
}  // namespace twinsite::monitor::agent
