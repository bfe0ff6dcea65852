// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/desired_api.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "gslb/control/api.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;
using health::State;

constexpr const char* kSwitchover = "twinsite://arbiter/switchover/sw";
constexpr const char* kOperator = "twinsite://east/operator/ann";

/// The control API behind the gate of mutual TLS, without the TLS.
class DesiredApi : public testing::Test {
protected:
    DesiredApi() {
        seams_.on_helm = [](const std::function<void()>& work) {
            work();
            return true;
        };
        seams_.reload = [](ReloadOutcome&) { return true; };
        seams_.not_ready = [] { return std::string(); };
        seams_.counters = [] { return server::Totals{}; };
        seams_.uptime = [] { return std::chrono::seconds(42); };
        seams_.now = [this] { return now_; };
        seams_.refusals = &refusals_;
        add_api_routes(router_, test_.helm, seams_, role_gate(refusals_));
    }

    Response ask(
        std::string method, std::string target, std::string body = "", std::string who = kSwitchover
    ) {
        Request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.body = std::move(body);
        request.peer_identity = std::move(who);
        EXPECT_TRUE(split_target(request));
        return router_.handle(request);
    }
    Response put(unsigned revision, const std::string& objects) {
        return ask(
            "PUT",
            "/api/v1/desired",
            R"({"fence":{"generation":1,"revision":)" + std::to_string(revision) +
                R"(},"server":"somebody","objects":[)" + objects + "]}"
        );
    }
    json::object get() {
        const auto response = ask("GET", "/api/v1/desired");
        EXPECT_EQ(response.status, 200U) << response.body;
        return json::parse(response.body).as_object();
    }
    json::object site(const char* name) {
        const auto all = get();
        for (const auto& each : all.at("sites").as_array())
            if (each.at("site") == name) return each.as_object();
        return {};
    }
    json::object explain(const char* client) {
        const auto target = std::string("/api/v1/explain?name=ocs.example.net&client=") + client;
        return json::parse(ask("GET", target).body).as_object();
    }

    HelmUnderTest test_;
    Moment now_ = kNoon;
    RefusalCounts refusals_;
    ApiSeams seams_;
    base::http::Router router_;
};

constexpr const char* kEastOut =
    R"({"object":"site:east","state":"out","reason":"run r1","since":"2026-11-30T12:00:00Z"})";

TEST_F(DesiredApi, PinsASiteOutWithinOneSnapshotAndExplainNamesTheServer) {
    const auto before = test_.published.size();
    const auto response = put(7, kEastOut);
    ASSERT_EQ(response.status, 200U) << response.body;
    const auto body = json::parse(response.body).as_object();
    EXPECT_EQ(body.at("changed"), true);
    EXPECT_EQ(body.at("objects"), 1);
    EXPECT_EQ(test_.published.size(), before + 1);
    const auto why = explain("10.1.0.1");
    EXPECT_EQ(why.at("precedence"), "control");
    EXPECT_EQ(why.at("answers").as_array().at(0), "127.0.2.20");
    const auto& text = why.at("text").as_array();
    EXPECT_EQ(
        text.back(),
        "control: site:east is out by twinsite://arbiter/switchover/sw since "
        "2026-11-30T12:00:00Z: run r1"
    );
    ASSERT_EQ(test_.kept_control.size(), 1U);
    EXPECT_EQ(test_.kept_control[0].fences.highest("control").revision, 7U);
    EXPECT_EQ(test_.kept_control[0].directives.desired().objects.size(), 1U);
}

TEST_F(DesiredApi, ShowsWhatIsAnsweredAndHowFreshTheListIs) {
    EXPECT_TRUE(get().at("received_age_ms").is_null());
    EXPECT_EQ(site("east").at("answering"), true);
    EXPECT_EQ(site("east").at("control"), "");
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    now_.monotonic += std::chrono::milliseconds(2500);
    EXPECT_EQ(get().at("received_age_ms"), 2500);
    EXPECT_EQ(get().at("server"), kSwitchover);
    EXPECT_EQ(site("east").at("answering"), false);
    EXPECT_EQ(site("east").at("control"), "out");
    EXPECT_EQ(site("east").at("health"), "up");
    EXPECT_EQ(site("west").at("answering"), true);
}

TEST_F(DesiredApi, APinHoldsWhenTheSiteIsHealthyAgainAndTheOtherDies) {
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    test_.set_health("ocs-west", State::down);
    test_.helm.refresh();
    EXPECT_EQ(explain("10.1.0.1").at("answers").as_array().at(0), "127.0.2.20")
        << "all down is open, but the pinned site is never answered";
    ASSERT_EQ(put(7, "").status, 200U);
    EXPECT_EQ(explain("10.1.0.1").at("answers").as_array().at(0), "127.0.1.20");
}

TEST_F(DesiredApi, AnOverrideStandsAboveControl) {
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    const auto up = R"({"state":"up","reason":"I know","author":"ann"})";
    ASSERT_EQ(ask("PUT", "/api/v1/overrides/ocs/site:east", up, kOperator).status, 200U);
    const auto why = explain("10.1.0.1");
    EXPECT_EQ(why.at("precedence"), "override");
    EXPECT_EQ(why.at("answers").as_array().at(0), "127.0.1.20");
    EXPECT_EQ(site("east").at("override"), "up");
}

TEST_F(DesiredApi, AStaleFenceIsRefusedAndNothingChanges) {
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    const auto stale = put(6, "");
    EXPECT_EQ(stale.status, 409U);
    const auto body = json::parse(stale.body).as_object();
    EXPECT_EQ(body.at("title"), "stale fence");
    EXPECT_EQ(body.at("highest"), json::parse(R"({"generation":1,"revision":7})"));
    EXPECT_EQ(site("east").at("control"), "out");
    EXPECT_EQ(refusals_.of(RefusalCause::stale_fence), 1U);
}

TEST_F(DesiredApi, TellingTwiceChangesNothingAndWritesNothing) {
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    const auto published = test_.published.size();
    const auto again = put(7, kEastOut);
    EXPECT_EQ(json::parse(again.body).at("changed"), false);
    EXPECT_EQ(test_.published.size(), published);
    EXPECT_EQ(test_.kept_control.size(), 1U);
    EXPECT_EQ(put(8, kEastOut).status, 200U);
    EXPECT_EQ(test_.kept_control.size(), 2U) << "a higher fence is kept";
}

TEST_F(DesiredApi, TheLastSiteStaysButItsFenceCounts) {
    const auto both = std::string(kEastOut) + R"(,{"object":"site:west","state":"out"})";
    const auto refused = put(9, both);
    EXPECT_EQ(refused.status, 409U);
    EXPECT_EQ(json::parse(refused.body).at("title"), "last site");
    EXPECT_EQ(site("east").at("control"), "");
    EXPECT_EQ(put(8, kEastOut).status, 409U);
    EXPECT_EQ(refusals_.of(RefusalCause::last_site), 1U);
}

TEST_F(DesiredApi, AListInForceIsNeverRefusedAgain) {
    ASSERT_EQ(put(7, kEastOut).status, 200U);
    const auto down = R"({"state":"down","reason":"r","author":"ann","force":true})";
    const auto held = R"({"state":"down","reason":"r","author":"ann"})";
    EXPECT_EQ(ask("PUT", "/api/v1/overrides/ocs/site:west", held, kOperator).status, 409U)
        << "control counts when an override looks for the last site";
    ASSERT_EQ(ask("PUT", "/api/v1/overrides/ocs/site:west", down, kOperator).status, 200U);
    EXPECT_EQ(put(7, kEastOut).status, 200U);
}

TEST_F(DesiredApi, AFullDiskIsToldAndTheNextTellingWritesAgain) {
    test_.disk_works = false;
    EXPECT_EQ(put(7, kEastOut).status, 500U);
    EXPECT_EQ(site("east").at("answering"), false) << "it is in force all the same";
    test_.disk_works = true;
    EXPECT_EQ(put(7, kEastOut).status, 200U);
    EXPECT_EQ(test_.kept_control.size(), 1U);
}

TEST_F(DesiredApi, BadBodiesAreRefused) {
    EXPECT_EQ(ask("PUT", "/api/v1/desired", "east out").status, 400U);
    EXPECT_EQ(ask("PUT", "/api/v1/desired", R"({"objects":[]})").status, 422U);
    EXPECT_EQ(put(1, R"({"object":"blade:b1","state":"drain"})").status, 422U);
    EXPECT_EQ(put(1, R"({"object":"site:east","state":"gone"})").status, 422U);
    EXPECT_EQ(refusals_.of(RefusalCause::malformed), 4U);
    EXPECT_EQ(get().at("fence"), json::parse(R"({"generation":0,"revision":0})"));
}

TEST_F(DesiredApi, UnknownObjectsAreNamedAndHeld) {
    const auto response = put(1, R"({"object":"site:south","state":"out"})");
    EXPECT_EQ(response.status, 200U);
    EXPECT_EQ(json::parse(response.body).at("unknown"), json::parse(R"(["site:south"])"));
}

TEST_F(DesiredApi, EachRoleMayWhatItMay) {
    struct Try {
        const char* who;
        const char* method;
        const char* path;
        bool allowed;
    };
    const Try tries[] = {
        {kOperator, "POST", "/api/v1/reload", true},
        {kOperator, "GET", "/api/v1/status", true},
        {kSwitchover, "GET", "/api/v1/status", true},
        {kSwitchover, "POST", "/api/v1/reload", false},
        {kSwitchover, "DELETE", "/api/v1/overrides/ocs/site:east", false},
        {"twinsite://east/monitor/m", "GET", "/readyz", true},
        {"twinsite://east/monitor/m", "HEAD", "/metrics", true},
        {"twinsite://east/monitor/m", "GET", "/api/v1/desired", false},
        {"twinsite://east/gslb/g", "GET", "/api/v1/status", false},
        {"twinsite://east/agent/a", "PUT", "/api/v1/desired", false},
        {"twinsite://east/root/a", "GET", "/healthz", false},
        {"ann", "GET", "/healthz", false},
        {"", "GET", "/healthz", false},
    };
    std::uint64_t refused = 0;
    for (const auto& each : tries) {
        const auto status = ask(each.method, each.path, "", each.who).status;
        EXPECT_EQ(status != 403, each.allowed)
            << each.who << " " << each.method << " " << each.path;
        refused += each.allowed ? 0 : 1;
    }
    EXPECT_EQ(
        refusals_.of(RefusalCause::wrong_role) + refusals_.of(RefusalCause::no_identity), refused
    );
}

}  // namespace
}  // namespace twinsite::gslb::control
