// SPDX-License-Identifier: Apache-2.0
// What others measured, from the API to the answers.
#include <algorithm>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "gslb/control/measurements_api.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::Request;
using health::State;
using std::chrono::seconds;
using std::chrono::steady_clock;

Request body(std::string text) {
    Request out;
    out.method = "PUT";
    out.body = std::move(text);
    return out;
}

class MeasurementsTest : public testing::Test {
protected:
    MeasurementsTest() { at(1000); }

    void at(int second) { test_.helm.tick(steady_clock::time_point(seconds(second))); }

    /// The first policy with other filters.
    void use(std::vector<steering::Filter> filters) {
        auto setup = two_sites();
        auto steering = std::make_shared<steering::Steering>(*setup.steering);
        steering->policies[0].filters = std::move(filters);
        auto layers = std::make_shared<steering::PrefixLayers>();
        const steering::PrefixEntry west{*base::text::parse_prefix("10.2.0.0/16"), {1}};
        layers->networks = steering::layer_of({&west, 1});
        setup.layers = layers;
        setup.steering = steering;
        test_.helm.adopt(setup);
    }
    std::vector<std::string> answers(const char* client = "10.1.0.1") {
        ExplainQuestion question;
        question.name = *wire::dns::parse_name("ocs.example.net");
        question.client = *base::text::parse_ip(client);
        return test_.helm.explain(question, kNoon).answers;
    }

    HelmUnderTest test_;
};

const std::vector<std::string> kEast{"127.0.1.20"};
const std::vector<std::string> kWest{"127.0.2.20"};

TEST_F(MeasurementsTest, AFactTakesASiteOutUntilItIsOld) {
    steering::Filter wanted{steering::FilterKind::depends};
    wanted.dependencies.emplace_back().fact = "db.success_rate";
    wanted.dependencies[0].least = 99;
    using enum steering::FilterKind;
    use({{override_}, wanted, {up}, {failover}});
    EXPECT_EQ(answers(), kEast);
    const auto taken = put_facts(
        test_.helm, body(R"({"name":"db.success_rate@east","value":95,"ttl_s":30,"age_ms":10000})")
    );
    EXPECT_EQ(taken.status, 200U) << taken.body;
    EXPECT_EQ(answers(), kWest);
    at(1020);
    EXPECT_EQ(answers(), kWest);
    at(1021);
    EXPECT_EQ(answers(), kEast) << "30 s old";
    const auto shown = json::parse(show_facts(test_.helm).body).at("facts").as_array();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].at("fresh"), false);
    EXPECT_EQ(shown[0].at("age_ms"), 31'000);
}

TEST_F(MeasurementsTest, LoadMovesClientsToTheNextSiteStepByStep) {
    using enum steering::FilterKind;
    use({{override_}, {up}, {load}, {failover}});
    const auto versions = test_.published.size();
    const std::string report = R"([{"service":"ocs","target":"ocs-east","load_percent":100,"seq":)";
    put_loads(test_.helm, body(report + "1}]"));
    EXPECT_GT(test_.published.size(), versions);
    const auto share = [&] { return test_.helm.states()[0][0].share_permille; };
    EXPECT_EQ(share(), 900);
    for (int i = 1; i < 10; ++i) {
        at(1000 + 10 * i);
        put_loads(test_.helm, body(report + std::to_string(i + 1) + "}]"));
    }
    EXPECT_EQ(share(), 0);
    EXPECT_EQ(answers(), kWest);
    at(1300);
    EXPECT_EQ(share(), 1000) << "nobody reports any more";
    EXPECT_EQ(answers(), kEast);
}

TEST_F(MeasurementsTest, DelaysOrderSitesForTheirNetworkBelowTheConfiguration) {
    using enum steering::FilterKind;
    use({{override_}, {up}, {nearest}, {failover}});
    EXPECT_EQ(answers("192.0.2.1"), kEast);
    const auto done = put_delays(test_.helm, body(R"({"delays":[
        {"prefix":"192.0.2.0/24","site":"east","rtt_ms":40},
        {"prefix":"192.0.2.0/24","site":"west","rtt_ms":10},
        {"prefix":"10.2.0.0/16","site":"east","rtt_ms":1},
        {"prefix":"10.2.0.0/16","site":"west","rtt_ms":50}]})"));
    EXPECT_EQ(done.status, 200U) << done.body;
    at(1010);
    EXPECT_EQ(answers("192.0.2.1"), kWest);
    EXPECT_EQ(answers("198.51.100.1"), kEast);
    EXPECT_EQ(answers("10.2.0.1"), kWest) << "what the configuration says stands above";
    use({{override_}, {up}, {nearest}, {failover}});
    EXPECT_EQ(answers("192.0.2.1"), kWest) << "delays outlive a reload";
}

TEST_F(MeasurementsTest, ASiteThatWasLostWaitsForAnOperator) {
    steering::Filter order{steering::FilterKind::failover};
    order.fail_back = steering::FailBack::manual;
    using enum steering::FilterKind;
    use({{override_}, {up}, order});
    EXPECT_EQ(answers(), kEast);
    test_.set_health("ocs-east", State::down);
    test_.helm.refresh();
    EXPECT_EQ(answers(), kWest);
    test_.set_health("ocs-east", State::up);
    test_.helm.refresh();
    EXPECT_EQ(answers(), kWest);
    at(5000);
    EXPECT_EQ(answers(), kWest);
    EXPECT_EQ(json::parse(show_waiting_sites(test_.helm).body).at("sites").as_array().size(), 1U);
    EXPECT_EQ(release_site(test_.helm, "ocs", "west").status, 404U);
    EXPECT_EQ(release_site(test_.helm, "ocs", "east").status, 200U);
    EXPECT_EQ(answers(), kEast);
}

TEST_F(MeasurementsTest, LastKnownRemembersWhoWasUpBeforeAllWentDown) {
    auto setup = two_sites();
    auto steering = std::make_shared<steering::Steering>(*setup.steering);
    steering->policies[0].all_down = steering::AllDown::last_known;
    setup.steering = steering;
    test_.helm.adopt(setup);
    test_.set_health("ocs-east", State::down);
    test_.helm.refresh();
    test_.set_health("ocs-west", State::down);
    test_.helm.refresh();
    EXPECT_EQ(answers(), kWest) << "10.1 is near the east, which went down first";
    test_.helm.refresh();
    EXPECT_EQ(answers(), kWest);
}

TEST_F(MeasurementsTest, WrongReportsAreExplained) {
    const auto detail = [](const base::http::Response& response, unsigned status) {
        EXPECT_EQ(response.status, status) << response.body;
        return json::value_to<std::string>(json::parse(response.body).at("detail"));
    };
    EXPECT_EQ(
        detail(put_facts(test_.helm, body("[1]")), 422), "item 0: each item must be an object"
    );
    EXPECT_EQ(
        detail(put_facts(test_.helm, body(R"([{"name":"a","value":1},{"value":2}])")), 422),
        "item 1: 'name' is missing"
    );
    EXPECT_EQ(
        detail(put_facts(test_.helm, body(R"({"name":"a","value":"x"})")), 422),
        "item 0: 'value' must be a number of a sensible size"
    );
    EXPECT_EQ(
        detail(
            put_delays(test_.helm, body(R"({"prefix":"10.1.0.1/16","site":"east","rtt_ms":1})")),
            422
        ),
        "item 0: 'prefix' must be a network without bits beyond its length"
    );
    EXPECT_EQ(
        detail(
            put_delays(test_.helm, body(R"({"prefix":"10.1.0.0/16","site":"moon","rtt_ms":1})")),
            422
        ),
        "item 0: no site 'moon'"
    );
    EXPECT_EQ(put_loads(test_.helm, body("{")).status, 400U);
    EXPECT_EQ(
        put_loads(test_.helm, body(R"({"service":"ocs","target":"gone","load_percent":1})")).status,
        422U
    );
    EXPECT_EQ(
        put_loads(test_.helm, body(R"({"service":"ocs","target":"site:east","load_percent":1})"))
            .status,
        422U
    );
}

TEST_F(MeasurementsTest, MembersWithEqualInputsExplainInEqualWords) {
    using enum steering::FilterKind;
    HelmUnderTest other;
    other.helm.tick(steady_clock::time_point(seconds(77)));  // another clock
    for (auto* helm : {&test_.helm, &other.helm}) {
        put_facts(*helm, body(R"({"name":"x","value":1})"));
        put_loads(*helm, body(R"({"service":"ocs","target":"ocs-east","load_percent":80})"));
    }
    for (int i = 0; i < 1000; ++i) {
        ExplainQuestion question;
        question.name = *wire::dns::parse_name("ocs.example.net");
        question.client =
            base::text::IpAddress::from_v4(0x0a000000U + static_cast<unsigned>(i) * 7919U);
        auto ours = test_.helm.explain(question, kNoon);
        auto theirs = other.helm.explain(question, kNoon);
        ours.snapshot = theirs.snapshot = 0;
        ASSERT_EQ(describe(ours), describe(theirs));
    }
}

}  // namespace
}  // namespace twinsite::gslb::control
