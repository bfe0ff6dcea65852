// SPDX-License-Identifier: Apache-2.0
#include "slb/control/api.hpp"

#include <gtest/gtest.h>

#include "base/net/endpoint.hpp"

namespace twinsite::slb::control {
namespace {

using base::http::Request;
using base::http::Response;

base::net::Endpoint at(const char* text) {
    return *base::net::parse_endpoint(text);
}

/// A balancer without sockets: what was asked for is visible at once.
class FakeBackend final : public Backend {
public:
    NodeStatus node() override {
        return {"slb-test", "slb.x", "x", "1.2.3", 7, std::chrono::seconds(5)};
    }
    proxy::ShardStatus status() override {
        proxy::ShardStatus out;
        for (const auto& blade : changes_.apply(configured_)) {
            proxy::BladeStatus one;
            one.name = blade.name;
            one.address = blade.address;
            one.draining = blade.draining;
            one.link = link;
            one.sessions = sessions;
            one.counters.results.add(2001);
            one.counters.late = 3;
            out.blades.push_back(one);
        }
        out.relay.errors.add(3002);
        return out;
    }
    const BladeChanges::Blades& configured() const override { return configured_; }
    const BladeChanges& changes() const override { return changes_; }
    base::Result<void> change(const BladeChanges& changes) override {
        if (disk_full) return base::Error(ENOSPC, boost::system::system_category());
        changes_ = changes;
        return {};
    }
    ReloadOutcome reload_now() override { return {8, findings}; }
    ControlState& control() override { return control_; }
    RefusalCounts& refusals() override { return refusals_; }
    Releases& releases() override { return releases_; }
    std::size_t start_release(double) override { return 0; }
    void stop_release() override {}
    proxy::ReleaseStatus release_status() override { return {}; }
    ControlState::Time now() const override { return {}; }

    std::string link = "open";
    std::size_t sessions = 0;
    bool disk_full = false;
    std::vector<std::string> findings;

private:
    BladeChanges::Blades configured_ = {
        {"b1", at("127.0.1.31:3868"), false},
        {"b2", at("127.0.1.32:3868"), false},
    };
    BladeChanges changes_;
    ControlState control_{{[] {}, [](const auto&) { return base::Result<void>(); }}, {}};
    RefusalCounts refusals_;
    Releases releases_;
};

class Api : public testing::Test {
protected:
    Api() {
        add_status_routes(router_, backend);
        add_control_routes(router_, backend);
    }
    Response ask(
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        const std::string& force = ""
    ) {
        Request request;
        request.method = method;
        request.path = request.target = path;
        request.body = body;
        if (!force.empty()) request.query.emplace_back("force", force);
        return router_.handle(request);
    }
    bool says(const Response& response, const std::string& text) {
        return response.body.find(text) != std::string::npos;
    }

    FakeBackend backend;

private:
    base::http::Router router_;
};

TEST_F(Api, ReadyOnlyWithABladeThatTakesRequests) {
    EXPECT_EQ(ask("GET", "/healthz").status, 200u);
    EXPECT_EQ(ask("GET", "/readyz").status, 200u);
    backend.link = "suspect";
    const auto not_ready = ask("GET", "/readyz");
    EXPECT_EQ(not_ready.status, 503u);
    EXPECT_EQ(not_ready.content_type, "application/problem+json");
    EXPECT_EQ(ask("GET", "/healthz").status, 200u);
    backend.link = "open";
    ask("POST", "/api/v1/blades/b1/drain");
    EXPECT_EQ(ask("GET", "/readyz").status, 200u);
    ask("POST", "/api/v1/blades/b2/drain");
    EXPECT_EQ(ask("GET", "/readyz").status, 503u);
}

TEST_F(Api, ListsBladesWithTheirResultCodes) {
    const auto answer = ask("GET", "/api/v1/blades");
    EXPECT_EQ(answer.status, 200u);
    EXPECT_TRUE(says(answer, R"("name":"b1","address":"127.0.1.31:3868")"));
    EXPECT_TRUE(says(answer, R"("state":"active","link":"open")"));
    EXPECT_TRUE(says(answer, R"("late":3)"));
    EXPECT_TRUE(says(answer, R"("result_codes":{"2001":1})"));
}

TEST_F(Api, AddsABlade) {
    const auto added =
        ask("POST", "/api/v1/blades", R"({"name":"b3","address":"127.0.1.33:3868"})");
    EXPECT_EQ(added.status, 201u);
    EXPECT_TRUE(says(added, R"("name":"b3")"));
    EXPECT_FALSE(says(added, R"("name":"b1")"));
    EXPECT_EQ(
        ask("POST", "/api/v1/blades", R"({"name":"b3","address":"127.0.1.34:3868"})").status, 409u
    );
    EXPECT_EQ(
        ask("POST", "/api/v1/blades", R"({"name":"b4","address":"127.0.1.33:3868"})").status, 409u
    );
}

TEST_F(Api, RefusesWrongBlades) {
    for (const auto* body :
         {"",
          "{}",
          "[]",
          R"({"name":"b3"})",
          R"({"name":"b3","address":"127.0.1.33"})",
          R"({"name":"b3","address":"127.0.1.33:0"})",
          R"({"name":"","address":"127.0.1.33:3868"})",
          R"({"name":"a/b","address":"127.0.1.33:3868"})",
          R"({"name":3,"address":"127.0.1.33:3868"})",
          R"({"name":"b3","address":"127.0.1.33:3868","weight":1})"})
        EXPECT_EQ(ask("POST", "/api/v1/blades", body).status, 422u) << body;
}

TEST_F(Api, DrainsAndActivates) {
    EXPECT_TRUE(says(ask("POST", "/api/v1/blades/b1/drain"), R"("state":"drain")"));
    EXPECT_TRUE(says(ask("POST", "/api/v1/blades/b1/activate"), R"("state":"active")"));
    const auto unknown = ask("POST", "/api/v1/blades/b9/drain");
    EXPECT_EQ(unknown.status, 404u);
    EXPECT_TRUE(says(unknown, "known: b1, b2"));
}

TEST_F(Api, RemovesOnlyWhatIsNotInUseUnlessForced) {
    backend.sessions = 5;
    const auto refused = ask("DELETE", "/api/v1/blades/b1");
    EXPECT_EQ(refused.status, 409u);
    EXPECT_TRUE(says(refused, "5 sessions"));
    EXPECT_EQ(ask("DELETE", "/api/v1/blades/b1", "", "1").status, 204u);
    EXPECT_EQ(ask("DELETE", "/api/v1/blades/b1").status, 404u);
    backend.sessions = 0;
    EXPECT_EQ(ask("DELETE", "/api/v1/blades/b2").status, 204u);
    EXPECT_EQ(backend.status().blades.size(), 0u);
}

TEST_F(Api, AChangeThatCannotBeSavedIsNotMade) {
    backend.disk_full = true;
    EXPECT_EQ(ask("POST", "/api/v1/blades/b1/drain").status, 500u);
    EXPECT_FALSE(backend.status().blades[0].draining);
}

TEST_F(Api, ReloadTellsTheFindings) {
    const auto good = ask("POST", "/api/v1/reload");
    EXPECT_EQ(good.status, 200u);
    EXPECT_EQ(good.body, R"({"snapshot":8})");
    backend.findings = {"slb.yaml:1:1: $.node: \"bad\""};
    const auto refused = ask("POST", "/api/v1/reload");
    EXPECT_EQ(refused.status, 422u);
    EXPECT_TRUE(says(refused, R"("findings":["slb.yaml:1:1: $.node: \"bad\""])"));
}

TEST_F(Api, MetricsHaveBladesAndResultCodes) {
    const auto answer = ask("GET", "/metrics");
    EXPECT_EQ(answer.status, 200u);
    EXPECT_TRUE(says(answer, R"(twinsite_slb_blade_answers_total{blade="b1",result_code="2001"} 1)")
    );
    EXPECT_TRUE(says(answer, R"(twinsite_slb_blade_late_answers_total{blade="b2"} 3)"));
    EXPECT_TRUE(says(answer, R"(twinsite_slb_errors_total{result_code="3002"} 1)"));
    EXPECT_TRUE(answer.body.ends_with("# EOF\n"));
}

TEST_F(Api, StatusAndStatsAreJson) {
    EXPECT_TRUE(says(ask("GET", "/api/v1/status"), R"("node":"slb-test")"));
    EXPECT_TRUE(says(ask("GET", "/api/v1/status"), R"("snapshot":7)"));
    EXPECT_TRUE(says(ask("GET", "/api/v1/stats"), R"("errors":{"3002":1})"));
}

}  // namespace
}  // namespace twinsite::slb::control
