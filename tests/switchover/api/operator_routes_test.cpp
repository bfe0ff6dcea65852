// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "switchover/api/json.hpp"
#include "tests/switchover/api/world.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::api {
namespace {

using base::http::Request;

class OperatorApi : public testing::Test {
protected:
    base::Result<base::http::Response> call(const Request& request) {
        return world_.machine(kOperator, request);
    }
    Request start(const std::string& key) {
        auto out = ask("POST", "/api/v1/runs", R"({"scenario":"site-east-down","reason":"drill"})");
        if (!key.empty()) out.headers.emplace_back("Idempotency-Key", key);
        return out;
    }
    void take(const wire::contract::Report& report) {
        world_.on_loop([&] {
            world_.fleet->take_report(
                {report.site, "agent", report.name},
                report,
                {std::chrono::steady_clock::now(), 1'800'000'000'000}
            );
        });
    }
    World world_;
};

TEST_F(OperatorApi, TheOverviewHasTheMembersOfTheContract) {
    world_.on_loop([&] {
        auto& shown = world_.backend.shown;
        shown.server.node = "sw-arbiter";
        SiteView site;
        site.name = "east";
        site.title = {"East", "东"};
        site.state = "OK";
        site.since_wall = 1'800'000'000'250;
        site.evidence.votes = {{"mon-west", "up", 120}};
        site.members = {{"gslb-east", "gslb", true, 10, std::nullopt, ""}};
        shown.sites = {site};
        shown.services = {{"ocs", {"Charging", ""}, true, std::nullopt, std::nullopt, {}}};
    });
    const auto answer = call(get("/api/v1/overview"));
    ASSERT_EQ(outcome(answer), "200");
    const auto body = body_of(answer);
    EXPECT_EQ(body.at("server").at("node").as_string(), "sw-arbiter");
    EXPECT_TRUE(body.at("pause").is_null());
    EXPECT_FALSE(body.at("blind").at("is").as_bool());
    const auto& site = body.at("sites").at(0);
    EXPECT_EQ(site.at("title").at("zh").as_string(), "东");
    EXPECT_EQ(site.at("since_wall").as_string(), "2027-01-15T08:00:00.250Z");
    EXPECT_EQ(site.at("evidence").at("votes").at(0).at("age_ms").as_int64(), 120);
    EXPECT_TRUE(site.at("members").at(0).at("in_sync").is_null());
    EXPECT_EQ(body.at("services").at(0).at("title").at("zh").as_string(), "Charging");
    EXPECT_TRUE(body.at("runs").at("last").is_null());
    EXPECT_EQ(*base::http::find_header(answer->headers, "Cache-Control"), "no-store");
}

TEST_F(OperatorApi, HostsShowWhatTheyReported) {
    wire::contract::Report report;
    report.site = "east";
    report.name = "if1";
    report.version = "0.3";
    report.seq = 4;
    report.interval_ms = 10'000;
    wire::contract::Sample cpu;
    cpu.collector = "cpu";
    cpu.numbers = {{"idle", 91.5}, {"cpus", 4}};
    wire::contract::Sample disk;
    disk.collector = "disk";
    disk.instance = "/";
    disk.numbers = {{"size_bytes", 1e12}, {"read_only", 1}};
    wire::contract::Sample process;
    process.collector = "process";
    process.instance = "charging";
    process.numbers = {{"count", 1}};
    wire::contract::Sample stuck;
    stuck.collector = "memory";
    stuck.status = wire::contract::Status::stuck;
    report.samples = {cpu, disk, process, stuck};
    take(report);
    const auto body = body_of(call(get("/api/v1/hosts")));
    EXPECT_EQ(body.at("total").as_int64(), 3);
    const auto& host = body.at("hosts").at(0);
    EXPECT_EQ(host.at("id").as_string(), "east/if1");
    EXPECT_EQ(host.at("state").as_string(), "OK");
    EXPECT_FALSE(host.at("stale").as_bool());
    EXPECT_EQ(host.at("cpu").at("idle").as_double(), 91.5);
    EXPECT_EQ(host.at("cpu").at("cpus").as_int64(), 4);
    EXPECT_TRUE(host.at("cpu").at("steal").is_null()) << "missing is not zero";
    EXPECT_TRUE(host.at("memory").is_null());
    EXPECT_EQ(host.at("collectors").at(0).at("status").as_string(), "stuck");
    EXPECT_EQ(host.at("disks").at(0).at("size_bytes").as_int64(), 1'000'000'000'000);
    EXPECT_TRUE(host.at("disks").at(0).at("read_only").as_bool());
    EXPECT_EQ(host.at("processes").at(0).at("state").as_string(), "FAILED");
    EXPECT_EQ(host.at("via").at(0).as_string(), "direct");
    const auto& silent = body.at("hosts").at(2);
    EXPECT_TRUE(silent.at("stale").as_bool());
    EXPECT_TRUE(silent.at("cpu").is_null());
    EXPECT_TRUE(silent.at("age_ms").is_null());

    EXPECT_EQ(body_of(call(get("/api/v1/hosts?site=east&limit=1"))).at("total").as_int64(), 2);
    EXPECT_EQ(body_of(call(get("/api/v1/hosts?offset=2"))).at("hosts").as_array().size(), 1U);
    EXPECT_EQ(outcome(call(get("/api/v1/hosts?limit=0"))), "422 bad-query");
    EXPECT_EQ(outcome(call(get("/api/v1/hosts/east/if1"))), "200");
    EXPECT_EQ(outcome(call(get("/api/v1/hosts/east/if9"))), "404 not-found");
    EXPECT_EQ(outcome(call(get("/api/v1/hosts/east%2Fif1/x"))), "404 not-found");
}

TEST_F(OperatorApi, HistoryIsPointsOfTimeAndValue) {
    const auto answer = call(get("/api/v1/hosts/east/if1/history?metric=cpu.idle&since_s=60"));
    ASSERT_EQ(outcome(answer), "200");
    const auto& points = body_of(answer).at("points");
    EXPECT_EQ(points.at(0).at(0).as_int64(), 1'799'999'940'000);
    EXPECT_EQ(points.at(0).at(1).as_double(), 91.5);
    EXPECT_EQ(outcome(call(get("/api/v1/hosts/east/if1/history"))), "422 bad-query");
    EXPECT_EQ(
        outcome(call(get("/api/v1/hosts/east/if1/history?metric=cpu.idle&since_s=0"))),
        "422 bad-query"
    );
    EXPECT_EQ(
        outcome(call(get("/api/v1/hosts/east/if9/history?metric=cpu.idle"))), "404 not-found"
    );
}

TEST_F(OperatorApi, EveryViewAnswers) {
    for (const auto* path :
         {"/api/v1/scenarios",
          "/api/v1/scenarios/site-east-down",
          "/api/v1/scenarios/site-east-down/why",
          "/api/v1/runs",
          "/api/v1/alarms",
          "/api/v1/audit",
          "/api/v1/audit/verify",
          "/healthz",
          "/readyz",
          "/leader"})
        EXPECT_EQ(outcome(call(get(path))), "200") << path;
    EXPECT_EQ(outcome(call(get("/api/v1/scenarios/other"))), "404 not-found");
    EXPECT_EQ(outcome(call(get("/api/v1/scenarios/other/why"))), "404 not-found");
    EXPECT_EQ(outcome(call(get("/api/v1/runs/r01-9"))), "404 not-found");
    const auto scrape = call(get("/metrics"));
    ASSERT_EQ(outcome(scrape), "200");
    EXPECT_EQ(scrape->content_type.find("application/openmetrics-text"), 0U);
    const auto why = body_of(call(get("/api/v1/scenarios/site-east-down/why")));
    EXPECT_EQ(why.at("gates").at(0).at("code").as_string(), "blind");
    EXPECT_EQ(why.at("gates").at(0).at("have").as_string(), "1 of 3");
}

TEST_F(OperatorApi, StatesAreToldByStatus) {
    world_.on_loop([&] {
        world_.backend.why_not_ready = "no report yet";
        world_.backend.leader = false;
    });
    EXPECT_EQ(outcome(call(get("/readyz"))), "503 not-ready");
    EXPECT_EQ(outcome(call(get("/leader"))), "503 leader");
    EXPECT_EQ(outcome(call(get("/healthz"))), "200");
}

TEST_F(OperatorApi, ARunStartsOnceForOneKey) {
    const auto first = call(start("click-1"));
    ASSERT_EQ(outcome(first), "201");
    EXPECT_EQ(*base::http::find_header(first->headers, "Location"), "/api/v1/runs/r01-1");
    EXPECT_EQ(body_of(first).at("by").as_string(), kOperator);
    const auto again = call(start("click-1"));
    ASSERT_EQ(outcome(again), "201");
    EXPECT_EQ(body_of(again).at("id").as_string(), "r01-1");
    EXPECT_EQ(world_.on_loop([&] { return world_.backend.kept_runs.size(); }), 1U);
    auto other = ask("POST", "/api/v1/runs", R"({"scenario":"site-east-down","reason":"other"})");
    other.headers.emplace_back("Idempotency-Key", "click-1");
    EXPECT_EQ(outcome(call(other)), "422 idempotency-key");
    EXPECT_EQ(body_of(call(start("click-2"))).at("id").as_string(), "r01-2");
    EXPECT_EQ(outcome(call(start("with blank"))), "422 bad-body");
}

TEST_F(OperatorApi, ARefusedRunNamesTheRuleAndTheGates) {
    world_.on_loop([&] {
        world_.backend.refusal =
            Refusal{409, "blind", "the judge is blind", {FakeBackend::gate("blind", false)}};
    });
    const auto answer = call(start("click-1"));
    EXPECT_EQ(outcome(answer), "409 blind");
    EXPECT_EQ(answer->content_type, "application/problem+json");
    EXPECT_EQ(body_of(answer).at("gates").at(0).at("need").as_string(), "2 of 3");
    EXPECT_EQ(world_.audit().back(), std::string(kOperator) + " run.start site-east-down refused");
}

TEST_F(OperatorApi, EveryChangeIsAudited) {
    const std::string who = kOperator;
    call(ask("PUT", "/api/v1/scenarios/site-east-down/mode", R"({"mode":"semi","reason":"test"})"));
    EXPECT_EQ(world_.audit().back(), who + " mode.set site-east-down done");
    EXPECT_EQ(
        outcome(call(ask("PUT", "/api/v1/scenarios/none/mode", R"({"mode":"semi"})"))),
        "404 not-found"
    );
    EXPECT_EQ(world_.audit().back(), who + " mode.set none refused");
    call(ask("PUT", "/api/v1/pause", R"({"reason":"works","until_s":60})"));
    EXPECT_EQ(world_.audit().back(), who + " pause.set  done");
    call(ask("DELETE", "/api/v1/pause", ""));
    EXPECT_EQ(world_.audit().back(), who + " pause.clear  done");
    EXPECT_EQ(outcome(call(ask("DELETE", "/api/v1/pause", ""))), "409 not-paused");
    EXPECT_EQ(world_.audit().back(), who + " pause.clear  refused");
    EXPECT_EQ(outcome(call(ask("PUT", "/api/v1/pause", "{}"))), "422 bad-body");
    EXPECT_EQ(world_.audit().back(), who + " pause.set  refused");
    call(start(""));
    EXPECT_EQ(world_.audit().back(), who + " run.start site-east-down done");
    const auto detail = world_.on_loop([&] { return world_.backend.lines.back().detail; });
    EXPECT_EQ(detail, "r01-1: drill");
    const auto from = world_.on_loop([&] { return world_.backend.lines.back().from; });
    EXPECT_EQ(from, "127.0.0.1");
}

TEST_F(OperatorApi, APauseEndsWhenAsked) {
    call(ask("PUT", "/api/v1/pause", R"({"reason":"works","until_s":60})"));
    const auto until = world_.on_loop([&] { return world_.backend.paused->until_wall; });
    EXPECT_EQ(until, 1'800'000'060'000);
}

TEST_F(OperatorApi, OrdersReachTheRun) {
    call(start(""));
    for (const auto* verb : {"pause", "resume", "abort", "retry", "skip"})
        EXPECT_EQ(
            outcome(call(ask(
                "POST", std::string("/api/v1/runs/r01-1/") + verb, R"({"reason":"r","step":"pin"})"
            ))),
            "200"
        ) << verb;
    EXPECT_EQ(outcome(call(ask("POST", "/api/v1/runs/r01-1/answer", ""))), "422 bad-body");
    EXPECT_EQ(
        outcome(call(ask("POST", "/api/v1/runs/r01-1/answer", R"({"answer":"yes"})"))), "200"
    );
    EXPECT_EQ(outcome(call(ask("POST", "/api/v1/runs/r01-1/explode", ""))), "404");
    EXPECT_EQ(outcome(call(ask("POST", "/api/v1/runs/r01-7/abort", ""))), "404 not-found");
    const auto orders = world_.on_loop([&] { return world_.backend.orders; });
    ASSERT_EQ(orders.size(), 7U);
    EXPECT_EQ(orders[2].verb, RunVerb::abort);
    EXPECT_EQ(orders[2].step, "pin");
    EXPECT_EQ(orders[5].answer, "yes");
}

TEST_F(OperatorApi, AuditGivesTheLastLinesOrThoseAfter) {
    world_.on_loop([&] {
        for (int i = 0; i < 300; ++i)
            world_.backend.audit({"a", "", "x", std::to_string(i), "done", ""}).value();
    });
    const auto last = body_of(call(get("/api/v1/audit")));
    EXPECT_EQ(last.at("entries").as_array().size(), 200U);
    EXPECT_EQ(last.at("entries").at(0).at("seq").as_int64(), 101);
    EXPECT_EQ(last.at("last").as_int64(), 300);
    const auto after = body_of(call(get("/api/v1/audit?after=7&limit=2")));
    EXPECT_EQ(after.at("entries").at(1).at("object").as_string(), "8");
    EXPECT_EQ(outcome(call(get("/api/v1/audit?limit=1001"))), "422 bad-query");
    EXPECT_EQ(outcome(call(get("/api/v1/audit?after=x"))), "422 bad-query");
}

TEST_F(OperatorApi, AStoreThatFailsIsA503) {
    world_.on_loop([&] { world_.backend.store_works = false; });
    EXPECT_EQ(outcome(call(get("/api/v1/runs"))), "503 store");
    EXPECT_EQ(outcome(call(get("/api/v1/runs/r01-1"))), "503 store");
    EXPECT_EQ(outcome(call(get("/api/v1/overview"))), "200");
}

TEST_F(OperatorApi, MethodsAndPathsAreExact) {
    EXPECT_EQ(outcome(call(get("/api/v1/nothing"))), "404");
    const auto wrong = call(ask("POST", "/api/v1/overview", "{}"));
    ASSERT_EQ(outcome(wrong), "405");
    EXPECT_EQ(*base::http::find_header(wrong->headers, "Allow"), "GET");
    EXPECT_EQ(outcome(call(get("/api/v1/runs/r01-1/abort"))), "405") << "GET never acts";
    Request head = get("/api/v1/overview");
    head.method = "HEAD";
    const auto only_head = call(head);
    ASSERT_TRUE(only_head);
    EXPECT_EQ(only_head->status, 200U);
    EXPECT_TRUE(only_head->body.empty());
    EXPECT_EQ(outcome(call(ask("POST", "/api/v1/login", "{}"))), "404")
        << "passwords are for the console's port only";
}

TEST_F(OperatorApi, BodiesAboveTheirBoundAreRefused) {
    const auto body = R"({"scenario":")" + std::string(20'000, 'x') + "\"}";
    EXPECT_EQ(outcome(call(ask("POST", "/api/v1/runs", body))), "422 bad-body");
    const auto huge = call(ask("POST", "/api/v1/runs", std::string(1'100'000, ' ')));
    ASSERT_TRUE(huge);
    EXPECT_EQ(huge->status, 413U);
}

TEST(ApiJson, WallTimesAreRfc3339) {
    EXPECT_EQ(format_wall(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_wall(1'800'000'000'007), "2027-01-15T08:00:00.007Z");
    EXPECT_EQ(format_wall(-5), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_wall(std::numeric_limits<WallMs>::max()), "9999-12-31T23:59:59.999Z");
}

TEST(ApiJson, ABriefRunIsCutAtACharacter) {
    RunView run;
    StepView step;
    step.output = std::string(1'023, 'x') + "\xe4\xb8\x9c" + "tail";
    run.steps = {step};
    const auto brief = to_json(run, Detail::brief);
    EXPECT_EQ(brief.at("steps").at(0).at("output").as_string(), std::string(1'023, 'x'));
    EXPECT_FALSE(to_json(run, Detail::summary).contains("steps"));
    EXPECT_EQ(to_json(run, Detail::full).at("steps").at(0).at("output").as_string(), step.output);
}

TEST_F(OperatorApi, PagesOfOtherSitesChangeNothingByAnOperatorsCertificate) {
    auto pause = ask("PUT", "/api/v1/pause", R"({"reason":"works"})");
    auto foreign = pause;
    foreign.headers.emplace_back("Sec-Fetch-Site", "cross-site");
    EXPECT_EQ(outcome(world_.machine(kOperator, foreign)), "403 csrf");
    auto bare = ask("DELETE", "/api/v1/pause", "");
    bare.headers.emplace_back("Sec-Fetch-Site", "same-site");
    EXPECT_EQ(outcome(world_.machine(kOperator, bare)), "403 csrf");
    auto form = pause;
    form.headers = {{"Content-Type", "text/plain"}};
    EXPECT_EQ(outcome(world_.machine(kOperator, form)), "415 bad-body");
    auto look = get("/api/v1/overview");
    look.headers.emplace_back("Sec-Fetch-Site", "cross-site");
    EXPECT_EQ(outcome(world_.machine(kOperator, look)), "200");
    EXPECT_EQ(outcome(world_.machine(kOperator, pause)), "200");
}

}  // namespace
}  // namespace twinsite::switchover::api
