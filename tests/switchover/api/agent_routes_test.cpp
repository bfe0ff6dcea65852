// SPDX-License-Identifier: Apache-2.0
#include <future>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/switchover/api/world.hpp"
#include "wire/contract/command.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::api {
namespace {

using namespace std::chrono_literals;
using base::http::Request;
using wire::contract::Batch;
using wire::contract::Command;
using wire::contract::CommandResult;
using wire::contract::CommandState;
using wire::contract::Report;

Report report(std::uint64_t seq) {
    Report out;
    out.site = "east";
    out.name = "if1";
    out.role = "interface";
    out.boot_id = "boot";
    out.seq = seq;
    out.interval_ms = 1'000;
    wire::contract::Sample cpu;
    cpu.collector = "cpu";
    cpu.numbers = {{"idle", 91.5}, {"cpus", 2}};
    out.samples = {cpu};
    return out;
}

Request post(const Report& from) {
    return ask("POST", "/agent/v1/report", wire::contract::encode_report(from));
}

Command restart(const std::string& op_id) {
    Command out;
    out.op_id = op_id;
    out.agent = "east/if1";
    out.action = "module.restart";
    out.params = {{"module", "charging"}};
    out.valid_for_ms = 30'000;
    return out;
}

class AgentApi : public testing::Test {
protected:
    bool has_audit(const std::string& line) {
        for (const auto& one : world_.audit())
            if (one == line) return true;
        return false;
    }
    World world_;
};

TEST_F(AgentApi, AReportIsTakenAndAcknowledged) {
    const auto answer = world_.machine(kIf1, post(report(7)));
    ASSERT_EQ(outcome(answer), "200");
    const auto ack = wire::contract::decode_ack(answer->body);
    ASSERT_TRUE(ack);
    EXPECT_EQ(ack->accepted, 7U);
    EXPECT_EQ(ack->server, kServer);
    EXPECT_EQ(world_.on_loop([&] { return world_.fleet->find_host("east/if1")->last->seq; }), 7U);
    EXPECT_EQ(outcome(world_.machine(kIf1, post(report(7)))), "200") << "a repeat is fine";
    EXPECT_EQ(world_.on_loop([&] { return world_.fleet->counters().duplicates; }), 1U);
}

TEST_F(AgentApi, AReportForAnotherAgentsNameIsRefusedAndAudited) {
    EXPECT_EQ(outcome(world_.machine(kProc1, post(report(1)))), "403 identity");
    EXPECT_EQ(
        outcome(world_.machine("twinsite://west/agent/if1", post(report(1)))), "403 identity"
    );
    EXPECT_FALSE(world_.on_loop([&] { return world_.fleet->find_host("east/if1")->heard(); }));
    EXPECT_TRUE(has_audit(std::string(kProc1) + " report east/if1 refused"));
}

TEST_F(AgentApi, AnAgentThatIsNotInTheListIsRefused) {
    auto stranger = report(1);
    stranger.name = "if9";
    EXPECT_EQ(outcome(world_.machine("twinsite://east/agent/if9", post(stranger))), "403 unknown");
}

TEST_F(AgentApi, OnlyTheRightRoleGetsIn) {
    for (const auto* identity : {kMonitor, kOperator, kServer, "twinsite://east/gslb/gslb-east"})
        EXPECT_EQ(outcome(world_.machine(identity, post(report(1)))), "403 role") << identity;
    EXPECT_EQ(outcome(world_.machine(kIf1, ask("POST", "/agent/v1/batch", "{}"))), "403 role");
    EXPECT_EQ(outcome(world_.machine(kOperator, get("/agent/v1/commands?wait=0"))), "403 role");
    EXPECT_EQ(outcome(world_.machine(kServer, ask("POST", "/agent/v1/results", "{}"))), "403 role");
    EXPECT_FALSE(world_.machine("", get("/healthz"))) << "no certificate, no connection";
}

TEST_F(AgentApi, AgentsSeeNothingOfTheOperatorsApi) {
    for (const auto* path : {"/api/v1/overview", "/metrics", "/readyz", "/api/v1/audit"})
        EXPECT_EQ(outcome(world_.machine(kIf1, get(path))), "403 role") << path;
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/healthz"))), "200");
    EXPECT_EQ(
        outcome(world_.machine(kMonitor, ask("POST", "/api/v1/runs", R"({"scenario":"x"})"))),
        "403 role"
    );
    EXPECT_TRUE(has_audit(std::string(kMonitor) + " api POST /api/v1/runs refused"));
}

TEST_F(AgentApi, HostileBodiesAreRefused) {
    const auto good = wire::contract::encode_report(report(1));
    for (const auto& body : std::vector<std::string>{
             "",
             "{",
             "[]",
             "{\"schema\":1}",
             "{\"schema\":99}",
             std::string(200'000, '['),
             good.substr(0, good.size() / 2),
             std::string("\0\xff\xfe", 3),
         })
        EXPECT_EQ(
            outcome(world_.machine(kIf1, ask("POST", "/agent/v1/report", body))), "422 bad-body"
        ) << body.substr(0, 40);
    const auto huge =
        world_.machine(kIf1, ask("POST", "/agent/v1/report", std::string(1'100'000, ' ')));
    ASSERT_TRUE(huge);
    EXPECT_EQ(huge->status, 413U);
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/agent/v1/commands?wait=-1"))), "422 bad-query");
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/agent/v1/commands?wait=61"))), "422 bad-query");
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/agent/v1/report"))), "405");
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/agent/v1/nothing"))), "404");
}

TEST_F(AgentApi, ABatchOfTheMonitorsOwnSiteIsTaken) {
    Batch batch;
    batch.site = "east";
    batch.name = "mon-east";
    batch.boot_id = "boot";
    batch.seq = 3;
    batch.interval_ms = 1'000;
    batch.reports = {report(1)};
    const auto send = [&](const Batch& what) {
        return outcome(world_.machine(
            kMonitor, ask("POST", "/agent/v1/batch", wire::contract::encode_batch(what))
        ));
    };
    EXPECT_EQ(send(batch), "200");
    EXPECT_TRUE(world_.on_loop([&] { return world_.fleet->find_host("east/if1")->heard(); }));
    batch.seq = 4;
    batch.reports[0].site = "west";
    EXPECT_EQ(send(batch), "403 identity");
    batch.reports.clear();
    batch.site = "west";
    EXPECT_EQ(send(batch), "403 identity");
}

TEST_F(AgentApi, ACommandIsPolledAndItsResultComesBack) {
    auto waiting = std::async(std::launch::async, [this] {
        return world_.machine(kIf1, get("/agent/v1/commands?wait=20"));
    });
    while (world_.on_loop([&] { return world_.commands->polling(); }) == 0)
        std::this_thread::yield();
    world_.on_loop([&] {
        world_.commands->submit(restart("r1-s1-1"), std::chrono::steady_clock::now());
    });
    const auto answer = waiting.get();
    ASSERT_EQ(outcome(answer), "200");
    const auto commands = wire::contract::decode_commands(answer->body);
    ASSERT_TRUE(commands);
    ASSERT_EQ(commands->size(), 1U);
    EXPECT_EQ(commands->front().op_id, "r1-s1-1");
    EXPECT_EQ(commands->front().params.at("module"), "charging");

    CommandResult done;
    done.op_id = "r1-s1-1";
    done.agent = "east/if1";
    done.state = CommandState::done;
    const auto body = wire::contract::encode_results({done});
    EXPECT_EQ(outcome(world_.machine(kProc1, ask("POST", "/agent/v1/results", body))), "204");
    EXPECT_TRUE(world_.on_loop([&] { return world_.results.empty(); })) << "not its to tell";
    EXPECT_EQ(outcome(world_.machine(kIf1, ask("POST", "/agent/v1/results", body))), "204");
    EXPECT_EQ(world_.on_loop([&] { return world_.results.size(); }), 1U);
}

TEST_F(AgentApi, AWaitWithoutCommandsEndsWithNothing) {
    const auto now = world_.machine(kIf1, get("/agent/v1/commands?wait=0"));
    ASSERT_EQ(outcome(now), "204");
    EXPECT_TRUE(now->body.empty());
}

TEST_F(AgentApi, APollWhoseAgentIsGoneLeaves) {
    auto target = world_.machine_target(kIf1);
    const auto gave_up = base::http::request(target, get("/agent/v1/commands?wait=60"), 300ms);
    EXPECT_FALSE(gave_up);
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (world_.on_loop([&] { return world_.commands->polling(); }) != 0 &&
           std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
    EXPECT_EQ(world_.on_loop([&] { return world_.commands->polling(); }), 0U);
}

// Without sockets: a thousand handshakes tell nothing about the limit.
TEST_F(AgentApi, ASenderThatFloodsIsSlowedAndOthersAreNot) {
    world_.on_loop([&] {
        base::http::Router router;
        world_.api->add_machine_routes(router);
        auto request = post(report(1));
        request.peer_identity = kIf1;
        unsigned taken = 0;
        base::http::Response last;
        while (taken < 5'000) {
            last = router.handle(request);
            if (last.status != 200) break;
            ++taken;
        }
        EXPECT_EQ(last.status, 429U);
        EXPECT_GE(taken, 300U);
        EXPECT_NE(base::http::find_header(last.headers, "Retry-After"), nullptr);
        auto other = report(1);
        other.name = "proc1";
        request = post(other);
        request.peer_identity = kProc1;
        EXPECT_EQ(router.handle(request).status, 200U);
    });
}

// Acceptance of spec B5: after a restart of the server all come back in the same moment.
TEST_F(AgentApi, TwoHundredConnectionsAtOnceAreAllServed) {
    std::vector<std::future<unsigned>> all;
    const auto target = world_.machine_target(kIf1);
    for (std::uint64_t seq = 1; seq <= 200; ++seq)
        all.push_back(std::async(std::launch::async, [target, seq] {
            const auto answer = base::http::request(target, post(report(seq)), 60s);
            return answer ? answer->status : 0U;
        }));
    unsigned good = 0;
    for (auto& one : all) good += one.get() == 200 ? 1 : 0;
    EXPECT_EQ(good, 200U);
    EXPECT_EQ(world_.on_loop([&] { return world_.fleet->find_host("east/if1")->last->seq; }), 200U);
}

}  // namespace
}  // namespace twinsite::switchover::api
