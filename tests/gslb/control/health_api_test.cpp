// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/health_api.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using base::http::Response;
using health::State;

/// The routes about health over a real observatory with one pushed check a target.
class HealthApiTest : public testing::Test {
protected:
    HealthApiTest() {
        seams_.on_helm = [](const std::function<void()>& work) {
            work();
            return true;
        };
        seams_.now = [] { return kNoon; };
        seams_.health = &observatory_;
        std::vector<health::Watch> watches;
        health::VoteBoard::Rules rules;
        rules.node = "a";
        for (const auto& service : test_.helm.setup().steering->services)
            for (const auto& target : service.targets) {
                auto& watch = watches.emplace_back();
                watch.id = target_id(service.name, target.name);
                rules.targets[watch.id] = {};
                for (const auto& address : target.addresses) {
                    health::Check check;
                    check.question.ask = probe::PushAsk{"db"};
                    check.question.target = {address, 0};
                    watch.items.push_back({"db", check});
                }
            }
        observatory_.apply(std::move(watches), std::move(rules), 8);
        add_api_routes(router_, test_.helm, seams_);
    }
    Response put(std::string path, std::string body, std::string identity = "") {
        Request request;
        request.method = "PUT";
        request.target = std::move(path);
        request.body = std::move(body);
        request.peer_identity = std::move(identity);
        EXPECT_TRUE(split_target(request));
        return router_.handle(request);
    }
    json::object target(std::string_view id) {
        Request request;
        request.method = "GET";
        request.target = "/api/v1/health";
        EXPECT_TRUE(split_target(request));
        const auto all = json::parse(router_.handle(request).body);
        for (const auto& one : all.at("targets").as_array())
            if (json::value_to<std::string>(one.at("target")) == id) return one.as_object();
        ADD_FAILURE() << all;
        return {};
    }
    std::string detail(const Response& response) {
        EXPECT_EQ(response.status, 422U) << response.body;
        return json::value_to<std::string>(json::parse(response.body).at("detail"));
    }

    HelmUnderTest test_;
    boost::asio::io_context io_;
    health::Observatory observatory_{io_, {}, [] {}};
    ApiSeams seams_;
    base::http::Router router_;
};

constexpr const char* kUp =
    R"({"check":"db","service":"ocs","target":"ocs-east","state":"up","ttl_s":30,"age_ms":0})";

std::string list(const char* key, const std::string& items) {
    return std::string("{\"") + key + "\":[" + items + "]}";
}

TEST_F(HealthApiTest, TakesAStateFromOutside) {
    const auto done = put("/api/v1/checks", list("checks", kUp));
    EXPECT_EQ(done.status, 200U) << done.body;
    io_.run_for(std::chrono::milliseconds(100));
    EXPECT_EQ(target("ocs/ocs-east").at("state"), "up");
    EXPECT_EQ(target("ocs/ocs-west").at("state"), "unknown");
    EXPECT_EQ(target("ocs/ocs-east").at("checks").at(0).at("type"), "push");
}

TEST_F(HealthApiTest, TakesAllOfAListOrNothing) {
    const std::string good = kUp;
    auto changed = [&](const std::string& from, const std::string& to) {
        auto out = good;
        out.replace(out.find(from), from.size(), to);
        return list("checks", good + "," + out);
    };
    EXPECT_EQ(
        detail(put("/api/v1/checks", changed("\"db\"", "\"dbx\""))),
        "checks[1]: 'check' is not a check of type push of that target"
    );
    EXPECT_EQ(
        detail(put("/api/v1/checks", changed("ocs-east", "nowhere"))),
        "checks[1]: 'target' is not a target of that service"
    );
    EXPECT_EQ(
        detail(put("/api/v1/checks", changed("\"up\"", "\"fine\""))),
        "checks[1]: 'state' must be up, down or unknown"
    );
    EXPECT_EQ(
        detail(put("/api/v1/checks", changed("\"ttl_s\":30,", ""))), "checks[1]: 'ttl_s' is missing"
    );
    EXPECT_EQ(
        detail(put("/api/v1/checks", changed("age_ms", "agems"))),
        "checks[1]: 'agems' is not known here"
    );
    for (const auto* body :
         {"", "[]", "{}", R"({"checks":1})", R"({"checks":[1]})", R"({"votes":[]})"})
        EXPECT_EQ(put("/api/v1/checks", body).status, 422U) << body;
    io_.run_for(std::chrono::milliseconds(50));
    EXPECT_EQ(target("ocs/ocs-east").at("state"), "unknown");
}

TEST_F(HealthApiTest, AMachineVotesInItsOwnName) {
    const std::string vote =
        R"({"observer":"somebody","target":"ocs/ocs-east","check":"db","seq":1,"result":"up"})";
    const auto done = put("/api/v1/votes", list("votes", vote), "twinsite://east/agent/blade-1");
    EXPECT_EQ(done.status, 200U) << done.body;
    const auto words = target("ocs/ocs-east").at("checks").at(0).at("votes").as_array();
    ASSERT_EQ(words.size(), 2U);
    EXPECT_EQ(words[1].at("observer"), "east/blade-1");
    EXPECT_EQ(put("/api/v1/votes", list("votes", vote)).status, 200U);
    EXPECT_EQ(target("ocs/ocs-east").at("checks").at(0).at("votes").as_array().size(), 3U);
    EXPECT_EQ(
        detail(put("/api/v1/votes", list("votes", R"({"observer":"b","target":"t","check":"c"})"))),
        "votes[0]: 'seq' is missing"
    );
}

}  // namespace
}  // namespace twinsite::gslb::control
