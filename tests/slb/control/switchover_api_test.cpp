// SPDX-License-Identifier: Apache-2.0
#include "slb/control/switchover_api.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "slb/control/api.hpp"

namespace twinsite::slb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;
using State = proxy::ReleaseStatus::State;

base::net::Endpoint at(const char* text) {
    return *base::net::parse_endpoint(text);
}

constexpr const char* kSwitchover = "twinsite://arbiter/switchover/sw";

/// A balancer of two blades and nine clients, without sockets.
class Balancer final : public Backend {
public:
    NodeStatus node() override { return {}; }
    proxy::ShardStatus status() override {
        proxy::ShardStatus out;
        for (const auto& blade : changes_.apply(configured_, control_.blades())) {
            auto& one = out.blades.emplace_back();
            one.name = blade.name;
            one.draining = blade.draining;
            one.link = "open";
        }
        out.clients = 9;
        return out;
    }
    const BladeChanges::Blades& configured() const override { return configured_; }
    const BladeChanges& changes() const override { return changes_; }
    base::Result<void> change(const BladeChanges& changes) override {
        changes_ = changes;
        return {};
    }
    ReloadOutcome reload_now() override { return {}; }
    ControlState& control() override { return control_; }
    RefusalCounts& refusals() override { return refusals_; }
    Releases& releases() override { return releases_; }
    std::size_t start_release(double per_second) override {
        paces.push_back(per_second);
        release = {State::running, 0, 9};
        return 9;
    }
    void stop_release() override { release.state = State::stopped; }
    proxy::ReleaseStatus release_status() override { return release; }
    ControlState::Time now() const override { return ControlState::Time(time); }

    std::chrono::milliseconds time{1'000'000};
    std::vector<double> paces;
    proxy::ReleaseStatus release;
    std::vector<ControlState::Kept> kept;
    bool disk_works = true;
    unsigned applied = 0;

private:
    base::Result<void> keep(const ControlState::Kept& now) {
        if (!disk_works) return base::Error(ENOSPC, boost::system::system_category());
        kept.push_back(now);
        return {};
    }

    BladeChanges::Blades configured_ = {
        {"b1", at("127.0.1.31:3868"), false},
        {"b2", at("127.0.1.32:3868"), false},
    };
    BladeChanges changes_;
    ControlState control_{
        {[this] { ++applied; }, [this](const ControlState::Kept& now) { return keep(now); }}, {}
    };
    RefusalCounts refusals_;
    Releases releases_;
};

class SwitchoverApi : public testing::Test {
protected:
    SwitchoverApi() {
        add_status_routes(router_, slb_, role_gate(slb_.refusals()));
        add_control_routes(router_, slb_, role_gate(slb_.refusals()));
    }
    Response ask(
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        const std::string& who = kSwitchover
    ) {
        Request request;
        request.method = method;
        request.path = request.target = path;
        request.body = body;
        request.peer_identity = who;
        return router_.handle(request);
    }
    static std::string fence(unsigned revision) {
        return R"("fence":{"generation":1,"revision":)" + std::to_string(revision) + "}";
    }
    Response put(unsigned revision, const std::string& objects) {
        return ask(
            "PUT", "/api/v1/desired", "{" + fence(revision) + ",\"objects\":[" + objects + "]}"
        );
    }
    Response post_release(unsigned revision, const std::string& op_id, const std::string& rest) {
        return ask(
            "POST",
            "/api/v1/release",
            "{" + fence(revision) + R"(,"op_id":")" + op_id + "\"" + rest + "}"
        );
    }
    json::object get(const char* path) {
        const auto response = ask("GET", path);
        EXPECT_EQ(response.status, 200U) << response.body;
        return json::parse(response.body).as_object();
    }

    Balancer slb_;
    base::http::Router router_;
};

constexpr const char* kDrain = R"({"object":"blade:b1","state":"drain","reason":"upgrade"})";

TEST_F(SwitchoverApi, DrainsABladeAndKeepsTheList) {
    const auto response = put(7, kDrain);
    ASSERT_EQ(response.status, 200U) << response.body;
    EXPECT_EQ(json::parse(response.body).at("changed"), true);
    EXPECT_EQ(slb_.applied, 1U);
    ASSERT_EQ(slb_.kept.size(), 1U);
    EXPECT_EQ(slb_.kept[0].blades.desired().server, kSwitchover);
    const auto blades = get("/api/v1/blades");
    const auto& b1 = blades.at("blades").at(0);
    EXPECT_EQ(b1.at("state"), "drain");
    EXPECT_EQ(b1.at("control"), "drain");
    EXPECT_EQ(b1.at("operator"), "");
    slb_.time += std::chrono::milliseconds(1500);
    const auto shown = get("/api/v1/desired");
    EXPECT_EQ(shown.at("received_age_ms"), 1500);
    EXPECT_EQ(shown.at("ready"), true);
    EXPECT_EQ(shown.at("blades"), json::parse(R"({"active":1,"total":2})"));
    EXPECT_EQ(shown.at("clients"), 9);
}

TEST_F(SwitchoverApi, AnOperatorsActivateStandsAbove) {
    ASSERT_EQ(put(7, kDrain).status, 200U);
    EXPECT_EQ(ask("POST", "/api/v1/blades/b1/activate").status, 403U);
    const auto who = "twinsite://east/operator/ann";
    EXPECT_EQ(ask("POST", "/api/v1/blades/b1/activate", "", who).status, 200U);
    const auto b1 = get("/api/v1/blades").at("blades").at(0);
    EXPECT_EQ(b1.at("state"), "active");
    EXPECT_EQ(b1.at("operator"), "active");
}

TEST_F(SwitchoverApi, TellingTwiceChangesNothing) {
    ASSERT_EQ(put(7, kDrain).status, 200U);
    EXPECT_EQ(json::parse(put(7, kDrain).body).at("changed"), false);
    EXPECT_EQ(slb_.applied, 1U);
    EXPECT_EQ(slb_.kept.size(), 1U);
}

TEST_F(SwitchoverApi, StaleFencesAreRefusedForBothOrders) {
    ASSERT_EQ(put(7, kDrain).status, 200U);
    const auto stale = put(6, "");
    EXPECT_EQ(stale.status, 409U);
    EXPECT_EQ(
        json::parse(stale.body).at("highest"), json::parse(R"({"generation":1,"revision":7})")
    );
    EXPECT_EQ(post_release(6, "r1", R"(,"rate_per_s":5)").status, 409U);
    EXPECT_TRUE(slb_.paces.empty());
    EXPECT_EQ(slb_.refusals().of(RefusalCause::stale_fence), 2U);
    EXPECT_EQ(post_release(9, "r1", R"(,"rate_per_s":5)").status, 202U);
    EXPECT_EQ(put(8, "").status, 409U) << "the release's fence counts too";
}

TEST_F(SwitchoverApi, ReleasesOncePerOperation) {
    const auto first = post_release(1, "run-1", R"(,"rate_per_s":2.5,"cause":"REBOOTING")");
    ASSERT_EQ(first.status, 202U) << first.body;
    EXPECT_EQ(json::parse(first.body), json::parse(R"({"op_id":"run-1","clients":9})"));
    slb_.release = {State::done, 9, 9};
    const auto again = post_release(1, "run-1", R"(,"rate_per_s":2.5)");
    EXPECT_EQ(again.status, 202U);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(slb_.paces, std::vector<double>{2.5});
    EXPECT_EQ(
        json::value(get("/api/v1/release")),
        json::parse(R"({"op_id":"run-1","state":"done","released":9,"total":9})")
    );
}

TEST_F(SwitchoverApi, ASecondReleaseWaitsForTheFirst) {
    ASSERT_EQ(post_release(1, "run-1", R"(,"rate_per_s":1)").status, 202U);
    EXPECT_EQ(post_release(1, "run-2", R"(,"rate_per_s":1)").status, 409U);
    EXPECT_EQ(ask("DELETE", "/api/v1/release", "{" + fence(0) + "}").status, 409U);
    EXPECT_EQ(ask("DELETE", "/api/v1/release", "{}").status, 422U);
    EXPECT_EQ(get("/api/v1/release").at("state"), "running");
    EXPECT_EQ(ask("DELETE", "/api/v1/release").status, 200U);
    EXPECT_EQ(get("/api/v1/release").at("state"), "stopped");
    EXPECT_EQ(post_release(1, "run-2", R"(,"rate_per_s":1)").status, 202U);
}

TEST_F(SwitchoverApi, BadOrdersAreRefused) {
    EXPECT_EQ(ask("PUT", "/api/v1/desired", "x").status, 400U);
    EXPECT_EQ(put(1, R"({"object":"site:east","state":"out"})").status, 422U);
    EXPECT_EQ(put(1, R"({"object":"blade:b1","state":"out"})").status, 422U);
    EXPECT_EQ(ask("POST", "/api/v1/release", "x").status, 400U);
    EXPECT_EQ(ask("POST", "/api/v1/release", "{}").status, 422U);
    EXPECT_EQ(post_release(1, "", R"(,"rate_per_s":1)").status, 422U);
    EXPECT_EQ(post_release(1, "a b", R"(,"rate_per_s":1)").status, 422U);
    EXPECT_EQ(post_release(1, "r", R"(,"rate_per_s":0)").status, 422U);
    EXPECT_EQ(post_release(1, "r", R"(,"rate_per_s":"5")").status, 422U);
    EXPECT_EQ(post_release(1, "r", "").status, 422U);
    EXPECT_EQ(post_release(1, "r", R"(,"rate_per_s":1,"cause":"BUSY")").status, 422U);
    EXPECT_EQ(slb_.refusals().of(RefusalCause::malformed), 11U);
    EXPECT_TRUE(slb_.paces.empty());
}

TEST_F(SwitchoverApi, AFullDiskIsTold) {
    slb_.disk_works = false;
    EXPECT_EQ(put(7, kDrain).status, 500U);
    EXPECT_EQ(slb_.applied, 1U);
    EXPECT_EQ(post_release(8, "r", R"(,"rate_per_s":1)").status, 500U);
    EXPECT_TRUE(slb_.paces.empty());
    slb_.disk_works = true;
    EXPECT_EQ(put(8, kDrain).status, 200U);
    EXPECT_EQ(slb_.kept.size(), 1U);
}

TEST_F(SwitchoverApi, UnknownBladesAreNamed) {
    const auto response = put(1, R"({"object":"blade:b9","state":"drain"})");
    EXPECT_EQ(json::parse(response.body).at("unknown"), json::parse(R"(["blade:b9"])"));
}

TEST_F(SwitchoverApi, OtherMachinesOnlySeeWhetherWeAreWell) {
    for (const char* who : {"twinsite://east/monitor/m", "twinsite://east/gslb/g"}) {
        EXPECT_EQ(ask("GET", "/readyz", "", who).status, 200U);
        EXPECT_EQ(ask("GET", "/metrics", "", who).status, 200U);
        EXPECT_EQ(ask("GET", "/api/v1/blades", "", who).status, 403U);
        EXPECT_EQ(ask("PUT", "/api/v1/desired", "{}", who).status, 403U);
    }
    EXPECT_EQ(ask("GET", "/healthz", "", "uid:0").status, 403U);
    EXPECT_EQ(ask("DELETE", "/api/v1/blades/b1").status, 403U);
}

}  // namespace
}  // namespace twinsite::slb::control
