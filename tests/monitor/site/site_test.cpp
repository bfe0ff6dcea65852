// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/site.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/http/connection.hpp"
#include "tests/monitor/fake_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::site {
namespace {

namespace contract = wire::contract;
namespace http = base::http;
using std::chrono::milliseconds;
using tests::FakeServer;
using tests::run_until;

contract::Report make_report(std::uint64_t seq, const std::string& name = "if1") {
    contract::Report out;
    out.site = "east";
    out.name = name;
    out.boot_id = "b";
    out.seq = seq;
    out.interval_ms = 200;
    return out;
}

class SiteTest : public ::testing::Test {
protected:
    SiteTest() : servers_(folder_.path()), server_(io_, servers_, "server") {
        servers_.issue_files("twinsite://east/monitor/mon-east", "mon-east");
    }
    ~SiteTest() override {
        // What runs ends before what it refers to, and all of it on the loop.
        if (!site_) return;
        boost::asio::post(io_, [this] { site_->stop(); });
        io_.restart();
        io_.run_for(milliseconds(50));
        boost::asio::post(io_, [this] {
            connection_.reset();
            site_.reset();
        });
        io_.restart();
        io_.run_for(milliseconds(50));
    }

    void start(std::vector<ProbeConfig> probes = {}) {
        SiteConfig config;
        config.links.self = {"east", "monitor", "mon-east"};
        config.links.servers = {server_.endpoint()};
        config.links.interval = milliseconds(200);
        config.links.tls = files("mon-east");
        config.version = "test";
        config.state_directory = folder_.path();
        config.memory = {~0ULL, ~0ULL};
        config.listen = {base::text::IpAddress::from_v4(0x7F000001), 0};
        config.probes = std::move(probes);
        site_ = std::make_unique<Site>(io_, config, report::Clocks(), [] {});
        endpoint_ = site_->start();
    }
    report::TlsFiles files(const std::string& name) const {
        return {
            servers_.file(name + ".crt"),
            servers_.file(name + ".key"),
            servers_.ca(),
            servers_.crl()
        };
    }
    /// From now on `ask` speaks with this identity.
    void become(const std::string& uri) {
        servers_.issue_files(uri, "client");
        auto target = http::Target::at_tcp(endpoint_);
        http::TlsClient tls;
        tls.ca = servers_.ca();
        tls.server_name = "127.0.0.1";
        tls.certificate = servers_.file("client.crt");
        tls.key = servers_.file("client.key");
        target.tls = tls;
        boost::asio::post(io_, [this] { connection_.reset(); });
        io_.restart();
        io_.poll();
        connection_ = std::make_unique<http::Connection>(io_.get_executor(), target);
    }
    http::Response ask(
        const std::string& method, const std::string& target, std::string body = {}
    ) {
        http::Request request;
        request.method = method;
        request.target = target;
        request.body = std::move(body);
        std::optional<base::Result<http::Response>> out;
        boost::asio::co_spawn(
            io_,
            connection_->send(std::move(request), std::chrono::seconds(10)),
            [&](std::exception_ptr, base::Result<http::Response> answer) {
                out = std::move(answer);
            }
        );
        run_until(io_, [&] { return out.has_value(); });
        return out && *out ? **out : http::Response{0, "", "no answer", {}};
    }
    /// All reports that came in batches.
    std::vector<contract::Report> relayed() const {
        std::vector<contract::Report> out;
        for (const auto& batch : server_.batches)
            out.insert(out.end(), batch.reports.begin(), batch.reports.end());
        return out;
    }
    contract::Command make_command(const std::string& op_id) const {
        contract::Command out;
        out.op_id = op_id;
        out.agent = "east/if1";
        out.action = "a";
        out.valid_for_ms = 60'000;
        out.server = "s";
        out.signature = "c2ln";
        out.certificate = "PEM";
        return out;
    }

    tests::TemporaryFolder folder_;
    tests::Servers servers_;
    boost::asio::io_context io_;
    FakeServer server_;
    base::net::Endpoint endpoint_;
    std::unique_ptr<Site> site_;
    std::unique_ptr<http::Connection> connection_;
};

TEST_F(SiteTest, ReportsOfAgentsReachTheServerInBatches) {
    start();
    become("twinsite://east/agent/if1");
    const auto answer = ask("POST", "/agent/v1/report", encode_report(make_report(1)));
    EXPECT_EQ(answer.status, 200U);
    const auto ack = contract::decode_ack(answer.body);
    ASSERT_TRUE(ack);
    EXPECT_EQ(ack->accepted, 1U);
    EXPECT_EQ(ack->server, "twinsite://east/monitor/mon-east");
    ASSERT_TRUE(run_until(io_, [&] { return !relayed().empty(); }));
    EXPECT_EQ(relayed()[0].name, "if1");
    EXPECT_FALSE(relayed()[0].backfill);
    EXPECT_EQ(server_.batches[0].site, "east");
    EXPECT_EQ(server_.batches[0].name, "mon-east");
    EXPECT_EQ(server_.peers[0], "twinsite://east/monitor/mon-east");
    EXPECT_EQ(site_->agents(), 1U);
}

TEST_F(SiteTest, TheSameReportTwiceIsRelayedOnce) {
    start();
    become("twinsite://east/agent/if1");
    for (int turn = 0; turn < 2; ++turn)
        EXPECT_EQ(ask("POST", "/agent/v1/report", encode_report(make_report(1))).status, 200U);
    ask("POST", "/agent/v1/report", encode_report(make_report(2)));
    ASSERT_TRUE(run_until(io_, [&] { return relayed().size() >= 2; }));
    EXPECT_EQ(relayed().size(), 2U);
}

TEST_F(SiteTest, OnlyAgentsOfTheSiteMayReportAndOnlyForThemselves) {
    start();
    const auto report = encode_report(make_report(1));
    for (const char* uri :
         {"twinsite://west/agent/if1",
          "twinsite://east/monitor/if1",
          "twinsite://east/operator/if1",
          "twinsite://east/switchover/if1"}) {
        become(uri);
        EXPECT_EQ(ask("POST", "/agent/v1/report", report).status, 403U) << uri;
        EXPECT_EQ(ask("GET", "/agent/v1/commands?wait=0").status, 403U) << uri;
        EXPECT_EQ(ask("POST", "/agent/v1/results", R"({"schema":1,"results":[]})").status, 403U);
    }
    become("twinsite://east/agent/if2");
    EXPECT_EQ(ask("POST", "/agent/v1/report", report).status, 403U);
    contract::CommandResult result;
    result.op_id = "op";
    result.agent = "east/if1";
    EXPECT_EQ(ask("POST", "/agent/v1/results", contract::encode_results({result})).status, 403U);
    EXPECT_EQ(ask("POST", "/agent/v1/report", "{").status, 400U);
}

TEST_F(SiteTest, CommandsGoToTheirAgentAndResultsBack) {
    start();
    server_.order(make_command("op-1"));
    become("twinsite://east/agent/if1");
    auto answer = ask("GET", "/agent/v1/commands?wait=20");
    ASSERT_EQ(answer.status, 200U);
    const auto commands = contract::decode_commands(answer.body);
    ASSERT_TRUE(commands);
    ASSERT_EQ(commands->size(), 1U);
    EXPECT_EQ(commands->front().op_id, "op-1");
    EXPECT_EQ(commands->front().signature, "c2ln") << "as it was signed";
    contract::CommandResult result;
    result.op_id = "op-1";
    result.agent = "east/if1";
    result.state = contract::CommandState::running;
    EXPECT_EQ(ask("POST", "/agent/v1/results", contract::encode_results({result})).status, 204U);
    EXPECT_EQ(ask("GET", "/agent/v1/commands?wait=0").status, 204U) << "it is running";
    result.state = contract::CommandState::done;
    EXPECT_EQ(ask("POST", "/agent/v1/results", contract::encode_results({result})).status, 204U);
    ASSERT_TRUE(run_until(io_, [&] {
        return !server_.results.empty() &&
               server_.results.back().state == contract::CommandState::done;
    }));
    EXPECT_EQ(site_->pending_commands(), 0U);
}

TEST_F(SiteTest, AnotherAgentDoesNotSeeTheCommand) {
    start();
    server_.order(make_command("op-1"));
    ASSERT_TRUE(run_until(io_, [&] { return site_->pending_commands() == 1; }));
    become("twinsite://east/agent/if2");
    EXPECT_EQ(ask("GET", "/agent/v1/commands?wait=0").status, 204U);
}

TEST_F(SiteTest, OfWhatTheServerMissedOnlyTheNewestOfAnAgentIsLive) {
    start();
    become("twinsite://east/agent/if1");
    server_.stop();
    ask("POST", "/agent/v1/report", encode_report(make_report(1)));
    ASSERT_TRUE(run_until(io_, [&] { return site_->backlog(0) >= 2; }));
    ask("POST", "/agent/v1/report", encode_report(make_report(2)));
    const auto before = site_->backlog(0);
    ASSERT_TRUE(run_until(io_, [&] { return site_->backlog(0) >= before + 2; }));
    server_.start();
    ASSERT_TRUE(run_until(io_, [&] { return relayed().size() == 2; }));
    EXPECT_TRUE(server_.batches.front().reports.empty()) << "the newest batch first";
    EXPECT_EQ(relayed()[0].seq, 2U);
    EXPECT_FALSE(relayed()[0].backfill) << "the agent sent nothing newer";
    EXPECT_GT(relayed()[0].age_ms, 100U);
    EXPECT_EQ(relayed()[1].seq, 1U);
    EXPECT_TRUE(relayed()[1].backfill);
}

TEST_F(SiteTest, WhatWasTakenIsOnDiskWhenItEnds) {
    start();
    become("twinsite://east/agent/if1");
    server_.stop();
    ASSERT_EQ(ask("POST", "/agent/v1/report", encode_report(make_report(1))).status, 200U);
    bool ended = false;
    boost::asio::post(io_, [&] { site_->drain([&] { ended = true; }); });
    ASSERT_TRUE(run_until(io_, [&] { return ended; }));
    const auto text = base::file::read_state_file(folder_.file("spool.log"));
    ASSERT_TRUE(text && *text);
    EXPECT_NE((*text)->find("\"if1\""), std::string::npos);
}

TEST_F(SiteTest, AProbeThatChangesIsToldAtOnce) {
    ProbeConfig probe;
    probe.name = "west";
    probe.kind = ProbeConfig::Kind::tcp;
    probe.subject = "site:west";
    probe.view = "east";
    probe.address = server_.endpoint();
    probe.interval = milliseconds(100);
    start({probe});
    const auto last = [&]() -> std::optional<bool> {
        if (server_.batches.empty() || server_.batches.back().probes.empty()) return std::nullopt;
        return server_.batches.back().probes[0].ok;
    };
    ASSERT_TRUE(run_until(io_, [&] { return last() == true; }));
    const auto& told = server_.batches.back().probes[0];
    EXPECT_EQ(told.subject, "site:west");
    EXPECT_EQ(told.view, "east");
    EXPECT_EQ(told.kind, "tcp");
    server_.stop();
    ASSERT_TRUE(run_until(io_, [&] { return !site_->probes()[0].ok; }));
    server_.start();
    ASSERT_TRUE(run_until(io_, [&] { return last() == true && site_->probes()[0].ok; }));
}

TEST_F(SiteTest, ARevokedAgentIsRefused) {
    start();
    become("twinsite://east/agent/if1");
    EXPECT_EQ(ask("POST", "/agent/v1/report", encode_report(make_report(1))).status, 200U);
    const auto text = base::file::read_state_file(servers_.file("client.crt"));
    servers_.revoke(text->value());
    // Files are looked at each half second, and taken when they rest.
    ASSERT_TRUE(run_until(io_, [&] {
        return ask("POST", "/agent/v1/report", encode_report(make_report(2))).status == 0;
    }));
}

}  // namespace
}  // namespace twinsite::monitor::site
