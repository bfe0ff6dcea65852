// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/api.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;
using health::State;

/// The API as the control socket serves it, without the socket.
class ApiTest : public testing::Test {
protected:
    ApiTest() {
        seams_.on_helm = [this](const std::function<void()>& work) {
            if (stopping_) return false;
            work();
            return true;
        };
        seams_.reload = [this](ReloadOutcome& outcome) {
            outcome = reload_outcome_;
            return !stopping_;
        };
        seams_.not_ready = [this] { return not_ready_; };
        seams_.counters = [] { return server::Totals{{"udp", 5}, {"noerror", 4}}; };
        seams_.uptime = [] { return std::chrono::seconds(42); };
        seams_.now = [] { return kNoon; };
        add_api_routes(router_, test_.helm, seams_);
    }

    Response ask(std::string method, std::string target, std::string body = "") {
        Request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.body = std::move(body);
        EXPECT_TRUE(split_target(request));
        return router_.handle(request);
    }
    json::object get(std::string target) {
        const auto response = ask("GET", std::move(target));
        EXPECT_EQ(response.status, 200U) << response.body;
        return json::parse(response.body).as_object();
    }
    /// A problem of this status; its detail.
    std::string problem(const Response& response, unsigned status) {
        EXPECT_EQ(response.status, status) << response.body;
        EXPECT_EQ(response.content_type, "application/problem+json");
        return json::value_to<std::string>(json::parse(response.body).at("detail"));
    }
    static json::value member(const Response& response, const char* key) {
        return json::parse(response.body).at(key);
    }

    HelmUnderTest test_;
    ApiSeams seams_;
    base::http::Router router_;
    bool stopping_ = false;
    std::string not_ready_;
    ReloadOutcome reload_outcome_;
};

constexpr const char* kDown = R"({"state":"down","reason":"new rack","author":"ann"})";

TEST_F(ApiTest, HealthIsAlwaysFineAndReadinessIsNot) {
    EXPECT_EQ(ask("GET", "/healthz").status, 200U);
    EXPECT_EQ(ask("GET", "/readyz").status, 200U);
    not_ready_ = "the first round is not over";
    EXPECT_EQ(ask("GET", "/healthz").status, 200U);
    EXPECT_EQ(problem(ask("GET", "/readyz"), 503), not_ready_);
}

TEST_F(ApiTest, StatusShowsZonesTargetsAndChecks) {
    test_.set_health("ocs-west", State::down);
    test_.helm.refresh();
    const auto status = get("/api/v1/status");
    EXPECT_EQ(status.at("node"), "gslb-test");
    EXPECT_EQ(status.at("site"), "east");
    EXPECT_EQ(status.at("version"), TWINSITE_VERSION);
    EXPECT_EQ(status.at("uptime_s"), 42);
    EXPECT_EQ(status.at("snapshot"), 2);
    EXPECT_EQ(status.at("ready"), true);
    const auto& zone = status.at("zones").at(0);
    EXPECT_EQ(zone.at("name"), "example.net.");
    EXPECT_EQ(zone.at("serial"), 2026113001);
    EXPECT_EQ(zone.at("records"), 6);
    const auto& service = status.at("services").at(0);
    EXPECT_EQ(service.at("name"), "ocs");
    const auto& west = service.at("targets").at(1);
    EXPECT_EQ(west.at("name"), "ocs-west");
    EXPECT_EQ(west.at("site"), "west");
    EXPECT_EQ(west.at("addresses").at(0), "127.0.2.20");
    EXPECT_EQ(west.at("state"), "down");
    EXPECT_TRUE(west.at("forced").is_null());
    const auto& check = west.at("checks").at(0);
    EXPECT_EQ(check.at("name"), "ready");
    EXPECT_EQ(check.at("state"), "down");
    EXPECT_EQ(check.at("age_ms"), 1500);
}

TEST_F(ApiTest, ExplainGivesClassScopeStagesAndAnswer) {
    const auto explained =
        get("/api/v1/explain?name=ocs.example.net&type=a&client=192.0.2.1&subnet=10.2.0.0/16");
    EXPECT_EQ(explained.at("name"), "ocs.example.net.");
    EXPECT_EQ(explained.at("type"), "A");
    EXPECT_EQ(explained.at("client"), "192.0.2.1");
    EXPECT_EQ(explained.at("subnet"), "10.2.0.0/16");
    EXPECT_EQ(explained.at("class").at("sites").at(0), "west");
    EXPECT_EQ(explained.at("class").at("prefix_length"), explained.at("scope"));
    EXPECT_EQ(explained.at("answers").at(0), "127.0.2.20");
    EXPECT_EQ(explained.at("rcode"), "NOERROR");
    EXPECT_EQ(explained.at("ttl_s"), 30);
    EXPECT_EQ(explained.at("precedence"), "none");
    EXPECT_EQ(explained.at("snapshot"), 1);
    const auto& stages = explained.at("stages").as_array();
    ASSERT_EQ(stages.size(), 5U);
    EXPECT_EQ(stages[4].at("filter"), "failover");
    EXPECT_EQ(stages[4].at("kept").at(0), "ocs-west");
    EXPECT_EQ(stages[4].at("dropped").at(0).at("target"), "ocs-east");
    EXPECT_GE(explained.at("text").as_array().size(), 5U);
}

TEST_F(ApiTest, ExplainNamesAWrongParameter) {
    EXPECT_NE(problem(ask("GET", "/api/v1/explain"), 422).find("'name'"), std::string::npos);
    for (const auto& [query, word] : std::vector<std::pair<std::string, std::string>>{
             {"name=a..b", "'name'"},
             {"name=a.b&type=ABC", "'type'"},
             {"name=a.b&client=east", "'client'"},
             {"name=a.b&subnet=10.1.2.0/16", "'subnet'"},
         }) {
        const auto detail = problem(ask("GET", "/api/v1/explain?" + query), 422);
        EXPECT_NE(detail.find(word), std::string::npos) << detail;
    }
}

TEST_F(ApiTest, StatsAreTheSumsOfTheServer) {
    const auto stats = get("/api/v1/stats");
    EXPECT_EQ(stats.at("queries").at("udp"), 5);
    EXPECT_EQ(stats.at("queries").at("noerror"), 4);
}

TEST_F(ApiTest, AnOverrideIsSetListedAndCleared) {
    const auto set =
        ask("PUT",
            "/api/v1/overrides/ocs/site:east",
            R"({"state":"drain","reason":" new rack ","author":"ann","ttl_s":3600})");
    ASSERT_EQ(set.status, 200U) << set.body;
    EXPECT_EQ(member(set, "kept_on_disk"), true);
    EXPECT_EQ(member(set, "snapshot"), 2);
    const auto list = get("/api/v1/overrides");
    ASSERT_EQ(list.at("overrides").as_array().size(), 1U);
    const auto& entry = list.at("overrides").at(0);
    EXPECT_EQ(entry.at("service"), "ocs");
    EXPECT_EQ(entry.at("object"), "site:east");
    EXPECT_EQ(entry.at("state"), "drain");
    EXPECT_EQ(entry.at("reason"), "new rack");
    EXPECT_EQ(entry.at("author"), "ann");
    EXPECT_EQ(entry.at("ttl_s"), 3600);
    EXPECT_EQ(entry.at("set_at"), "2027-01-15T08:00:00Z");
    EXPECT_EQ(entry.at("expires_at"), "2027-01-15T09:00:00Z");
    EXPECT_EQ(get("/api/v1/status").at("services").at(0).at("targets").at(0).at("forced"), "drain");
    EXPECT_EQ(ask("DELETE", "/api/v1/overrides/ocs/site:east").status, 200U);
    EXPECT_TRUE(get("/api/v1/overrides").at("overrides").as_array().empty());
    problem(ask("DELETE", "/api/v1/overrides/ocs/site:east"), 404);
}

TEST_F(ApiTest, AnUnknownObjectIsA404WithCandidates) {
    const auto target = ask("PUT", "/api/v1/overrides/ocs/ocs-eats", kDown);
    problem(target, 404);
    EXPECT_EQ(member(target, "candidates").at(0), "ocs-east");
    const auto service = ask("PUT", "/api/v1/overrides/osc/ocs-east", kDown);
    problem(service, 404);
    EXPECT_EQ(member(service, "candidates").at(0), "ocs");
    const auto clear = ask("DELETE", "/api/v1/overrides/ocs/ocs-eats");
    problem(clear, 404);
    EXPECT_EQ(member(clear, "candidates").at(0), "ocs-east");
    EXPECT_TRUE(test_.helm.overrides().entries().empty());
}

TEST_F(ApiTest, TheLastSiteIsRefusedUnlessForced) {
    EXPECT_EQ(ask("PUT", "/api/v1/overrides/ocs/ocs-east", kDown).status, 200U);
    const auto detail = problem(ask("PUT", "/api/v1/overrides/ocs/site:west", kDown), 409);
    EXPECT_NE(detail.find("'ocs'"), std::string::npos);
    EXPECT_EQ(test_.helm.overrides().entries().size(), 1U);
    EXPECT_EQ(ask("PUT", "/api/v1/overrides/ocs/site:west?force=1", kDown).status, 200U);
    EXPECT_EQ(test_.helm.overrides().entries().size(), 2U);
    const auto by_body =
        ask("PUT",
            "/api/v1/overrides/ocs/ocs-west",
            R"({"state":"down","reason":"r","author":"a","force":true})");
    EXPECT_EQ(by_body.status, 200U);
}

TEST_F(ApiTest, ClearingTheLastSiteIsRefusedUnlessForced) {
    const std::string path = "/api/v1/overrides/ocs/";
    const auto up = R"({"state":"up","reason":"new rack","author":"ann"})";
    EXPECT_EQ(ask("PUT", path + "ocs-east", up).status, 200U);
    EXPECT_EQ(ask("PUT", path + "site:east", kDown).status, 200U);
    EXPECT_EQ(ask("PUT", path + "site:west", kDown).status, 200U);
    problem(ask("DELETE", path + "ocs-east"), 409);
    EXPECT_EQ(test_.helm.overrides().entries().size(), 3U);
    EXPECT_EQ(ask("DELETE", path + "ocs-east?force=1").status, 200U);
    EXPECT_EQ(test_.helm.overrides().entries().size(), 2U);
}

TEST_F(ApiTest, ABodyThatIsNoOverrideIsRefusedWithTheReason) {
    const auto put = [&](const char* body) {
        return ask("PUT", "/api/v1/overrides/ocs/ocs-east", body);
    };
    problem(put(""), 400);
    problem(put("[1]"), 400);
    problem(put("{\"state\":"), 400);
    for (const auto& [body, word] : std::vector<std::pair<const char*, const char*>>{
             {R"({"reason":"r","author":"a"})", "'state' is missing"},
             {R"({"state":"off","reason":"r","author":"a"})", "'state' must be up, down or drain"},
             {R"({"state":"down","author":"a"})", "'reason' is missing"},
             {R"({"state":"down","reason":"  ","author":"a"})", "'reason' must not be empty"},
             {R"({"state":"down","reason":"r"})", "'author' is missing"},
             {R"({"state":"down","reason":"r","author":7})", "'author' must be a text"},
             {R"({"state":"down","reason":"r","author":"a","ttl_s":0})", "'ttl_s'"},
             {R"({"state":"down","reason":"r","author":"a","ttl_s":"1h"})", "'ttl_s'"},
             {R"({"state":"down","reason":"r","author":"a","ttl_s":99999999})", "'ttl_s'"},
             {R"({"state":"down","reason":"r","author":"a","force":1})", "'force'"},
             {R"({"state":"down","reason":"r","author":"a","tll_s":1})", "'tll_s' is not known"},
         }) {
        const auto detail = problem(put(body), 422);
        EXPECT_NE(detail.find(word), std::string::npos) << detail;
    }
    EXPECT_TRUE(test_.helm.overrides().entries().empty());
}

TEST_F(ApiTest, ReloadTellsTheSnapshotOrTheFindings) {
    reload_outcome_.snapshot = 9;
    const auto good = ask("POST", "/api/v1/reload");
    EXPECT_EQ(good.status, 200U);
    EXPECT_EQ(member(good, "snapshot"), 9);
    reload_outcome_.findings = {"gslb.yaml:3:1: $: unknown key \"a\""};
    const auto bad = ask("POST", "/api/v1/reload");
    problem(bad, 422);
    EXPECT_EQ(member(bad, "findings").at(0), "gslb.yaml:3:1: $: unknown key \"a\"");
    EXPECT_EQ(member(bad, "snapshot"), 9);
}

TEST_F(ApiTest, AReloadThatTakesLongIsAcceptedAndNotWaitedFor) {
    reload_outcome_.still_reading = true;
    const auto answer = ask("POST", "/api/v1/reload");
    EXPECT_EQ(answer.status, 202U);
    EXPECT_EQ(member(answer, "state"), "still reading");
}

TEST_F(ApiTest, AStoppingProgramSaysSo) {
    stopping_ = true;
    problem(ask("GET", "/api/v1/status"), 503);
    problem(ask("POST", "/api/v1/reload"), 503);
}

TEST_F(ApiTest, UnknownPathsAndMethodsAreProblems) {
    EXPECT_EQ(ask("GET", "/api/v1/nothing").status, 404U);
    EXPECT_EQ(ask("POST", "/api/v1/status").status, 405U);
}

TEST_F(ApiTest, TheStatusListenerChangesAndTellsNothing) {
    base::http::Router router;
    add_status_routes(router, test_.helm, seams_);
    for (const auto* path : {"/api/v1/status", "/api/v1/overrides", "/api/v1/explain"}) {
        Request request;
        request.target = path;
        ASSERT_TRUE(split_target(request));
        EXPECT_EQ(router.handle(request).status, 404U);
    }
}

TEST_F(ApiTest, MetricsAreOpenMetrics) {
    test_.set_health("ocs-west", State::down);
    test_.helm.refresh();
    const auto response = ask("GET", "/metrics");
    EXPECT_EQ(response.status, 200U);
    EXPECT_TRUE(response.content_type.starts_with("application/openmetrics-text"));
    const auto& text = response.body;
    EXPECT_TRUE(text.ends_with("# EOF\n"));
    for (const auto* line : {
             "twinsite_gslb_queries_total{transport=\"udp\"} 5\n",
             "twinsite_gslb_responses_total{rcode=\"NOERROR\"} 4\n",
             "twinsite_gslb_ready 1\n",
             "twinsite_gslb_snapshot_version 2\n",
             "twinsite_gslb_zone_serial{zone=\"example.net.\"} 2026113001\n",
             "twinsite_gslb_target_health{service=\"ocs\",target=\"ocs-west\",site=\"west\","
             "state=\"down\"} 1\n",
             "twinsite_gslb_target_health{service=\"ocs\",target=\"ocs-west\",site=\"west\","
             "state=\"up\"} 0\n",
             "twinsite_gslb_check_age_seconds{service=\"ocs\",target=\"ocs-east\",site=\"east\","
             "check=\"ready\",endpoint=\"127.0.1.20:8440\"} 1.5\n",
         })
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(ApiTest, EveryCounterOfTheServerHasItsMetric) {
    const server::Counters counters;
    visit(counters, [&](std::string_view name, const auto&) {
        // A value that no other sample has.
        seams_.counters = [&] { return server::Totals{{name, 987654321}}; };
        const auto text = ask("GET", "/metrics").body;
        EXPECT_NE(text.find(" 987654321\n"), std::string::npos) << name;
    });
}

}  // namespace
}  // namespace twinsite::gslb::control
