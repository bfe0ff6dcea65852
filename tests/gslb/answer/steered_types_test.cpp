// SPDX-License-Identifier: Apache-2.0
// Steered names of all kinds, from the query to the reply.
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gslb/answer/answer.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/zone/index_builder.hpp"
#include "tests/gslb/answer/server_fixture.hpp"

namespace twinsite::gslb::answer {
namespace {

using base::text::parse_ip;
using base::text::parse_prefix;
using steering::Health;
using Lines = std::vector<std::string>;
using enum steering::FilterKind;
namespace type = wire::dns::type;

constexpr const char* kZone = R"(
t.example. 3600 SOA ns1.t.example. hostmaster.t.example. 7 7200 900 1209600 60
t.example. 3600 NS ns1.t.example.
ns1.t.example. 3600 A 192.0.2.1
srv.t.example. 300 A 192.0.2.33
alias.t.example. 300 CNAME cdn.t.example.
)";

std::vector<std::uint8_t> wire_name(const char* name) {
    const auto parsed = *wire::dns::parse_name(name);
    const auto wire = parsed.wire();
    return {wire.begin(), wire.end()};
}

std::vector<std::uint8_t> srv(std::uint8_t priority, const char* target) {
    std::vector<std::uint8_t> out{0, priority, 0, 1, 0x0f, 0x1c};
    const auto name = wire_name(target);
    out.insert(out.end(), name.begin(), name.end());
    return out;
}

/// Services: "dra" (SRV alone), "cdn" (names), "web" (addresses and HTTPS with hints).
class SteeredTypes : public testing::Test {
protected:
    SteeredTypes() : source_(*parse_ip("192.0.2.53")) {
        auto steering = std::make_shared<steering::Steering>();
        steering->sites = {"east", "west"};
        steering::Target dra1{"dra1", 0, {}};
        steering::Target dra2{"dra2", 1, {}};
        dra1.records = {{type::srv, srv(1, "dra1.example")}};
        dra2.records = {{type::srv, srv(2, "dra2.example")}};
        steering::Target cdn1{"cdn1", 0, {}};
        steering::Target cdn2{"cdn2", 1, {}};
        cdn1.records = {{type::cname, wire_name("one.cdn.example")}};
        cdn2.records = {{type::cname, wire_name("two.cdn.example")}};
        steering::Target web1{"web1", 0, {*parse_ip("192.0.2.10"), *parse_ip("2001:db8::10")}};
        steering::Target web2{"web2", 1, {*parse_ip("192.0.2.20")}};
        web1.records = web2.records = {{type::https, {0, 1, 0}, true}};
        steering->services = {{"dra", {dra1, dra2}}, {"cdn", {cdn1, cdn2}}, {"web", {web1, web2}}};
        add(*steering, "srv.t.example", 0, {{override_}, {up}});
        add(*steering, "cdn.t.example", 1, {{override_}, {up}, {nearest}, {failover}});
        add(*steering, "web.t.example", 2, {{override_}, {up}, {nearest}, {failover}});
        add(*steering, "sticky.t.example", 2, {{override_}, {up}, {sticky}});
        add(*steering, "blind.t.example", 2, {{override_}, {up}, {nearest}, {failover}});
        steering->policies.back().use_client_subnet = false;
        add(*steering, "t.example", 2, {{override_}, {up}, {nearest}, {failover}});
        build(steering);
    }

    static void add(
        steering::Steering& to,
        const char* owner,
        std::size_t service,
        std::vector<steering::Filter> filters
    ) {
        steering::Policy policy;
        policy.owner = owner;
        policy.service = service;
        policy.filters = std::move(filters);
        to.policies.push_back(policy);
    }

    void build(const std::shared_ptr<const steering::Steering>& steering) {
        const auto zone = tests::zone_from_text("t.example", kZone);
        std::vector<std::string> problems;
        const auto built = zone::build_index({&zone, 1}, steered_names(*steering, problems));
        if (!built.problems.empty()) throw std::invalid_argument(built.problems[0]);
        const steering::PrefixEntry networks[] = {{*parse_prefix("10.2.0.0/16"), {1}}};
        const steering::PrefixEntry resolvers[] = {{*parse_prefix("198.51.100.0/24"), {1}}};
        steering::PrefixLayers layers;
        layers.networks = steering::layer_of(networks);
        layers.resolvers = steering::layer_of(resolvers);
        builder_ = std::make_unique<SnapshotBuilder>(
            built.index,
            std::make_shared<const steering::PrefixMap>(layers, default_orders(*steering)),
            steering
        );
        states_ = builder_->initial_states();
        for (auto& service : states_)
            for (auto& state : service) state.health = Health::up;
        snapshot_ = builder_->build(states_);
    }

    tests::Reply ask(const tests::Question& question) {
        tests::Bytes out(65535);
        const Context context{source_, Transport::udp, 1232, random_, counters_};
        out.resize(answer(context, *snapshot_, tests::make_query(question), out));
        return tests::parse_reply(out);
    }

    base::text::IpAddress source_;
    std::unique_ptr<SnapshotBuilder> builder_;
    ServiceStates states_;
    std::shared_ptr<const Snapshot> snapshot_;
    Random random_{1};
    Counters counters_;
};

TEST_F(SteeredTypes, SrvRecordsComeAndGoWithTheirTargets) {
    EXPECT_EQ(
        ask({"srv.t.example", "SRV"}).answer,
        (Lines{
            "srv.t.example. 30 in srv 1 1 3868 dra1.example.",
            "srv.t.example. 30 in srv 2 1 3868 dra2.example."
        })
    );
    EXPECT_EQ(ask({"srv.t.example", "A"}).answer, Lines{"srv.t.example. 300 in a 192.0.2.33"})
        << "types that no target has are those of the zone";
    states_[0][0].health = Health::down;
    snapshot_ = builder_->build(states_);
    EXPECT_EQ(
        ask({"srv.t.example", "SRV"}).answer,
        Lines{"srv.t.example. 30 in srv 2 1 3868 dra2.example."}
    );
    EXPECT_EQ(ask({"srv.t.example", "ANY"}).answer.size(), 1u);
}

TEST_F(SteeredTypes, ANameSteeredByCnameAnswersEveryType) {
    const Lines east{"cdn.t.example. 30 in cname one.cdn.example."};
    for (const char* of : {"A", "AAAA", "CNAME", "TXT", "MX", "ANY"})
        EXPECT_EQ(ask({"cdn.t.example", of}).answer, east) << of;
    const auto west = ask(with_subnet("10.2.3.0/24", "cdn.t.example"));
    EXPECT_EQ(west.answer, Lines{"cdn.t.example. 30 in cname two.cdn.example."});
    EXPECT_EQ(west.scope, 16);
    EXPECT_EQ(
        ask({"alias.t.example", "A"}).answer,
        (Lines{"alias.t.example. 300 in cname cdn.t.example.", east[0]})
    );
}

TEST_F(SteeredTypes, HintsFollowTheAddresses) {
    const auto east = ask({"web.t.example", "HTTPS"});
    ASSERT_EQ(east.answer.size(), 1u);
    EXPECT_NE(east.answer[0].find("ipv4hint=192.0.2.10"), std::string::npos) << east.answer[0];
    EXPECT_NE(east.answer[0].find("ipv6hint=2001:db8::10"), std::string::npos) << east.answer[0];
    states_[2][0].health = Health::down;
    snapshot_ = builder_->build(states_);
    const auto west = ask({"web.t.example", "HTTPS"});
    ASSERT_EQ(west.answer.size(), 1u);
    EXPECT_NE(west.answer[0].find("ipv4hint=192.0.2.20"), std::string::npos) << west.answer[0];
    EXPECT_EQ(west.answer[0].find("ipv6hint"), std::string::npos) << west.answer[0];
    EXPECT_EQ(ask({"t.example", "A"}).answer, Lines{"t.example. 30 in a 192.0.2.20"});
}

TEST_F(SteeredTypes, StickyAnswersDependOnTheClientsNetworkAndSaySo) {
    std::set<std::string> seen;
    for (int i = 0; i < 40; ++i) {
        const auto third = std::to_string(i);
        const auto one = ask(with_subnet("10.1." + third + ".0/24", "sticky.t.example"));
        ASSERT_EQ(one.answer.size(), 1u);
        EXPECT_EQ(one.scope, 24);
        EXPECT_EQ(
            ask(with_subnet("10.1." + third + ".128/25", "sticky.t.example")).answer, one.answer
        );
        seen.insert(one.answer[0]);
    }
    EXPECT_EQ(seen.size(), 2u);
    EXPECT_EQ(ask(with_subnet("2001:db8:1::/48", "sticky.t.example")).scope, 56);
    states_[2][0].health = Health::down;
    snapshot_ = builder_->build(states_);
    EXPECT_EQ(ask(with_subnet("10.1.3.0/24", "sticky.t.example")).scope, 24)
        << "scopes do not follow health";
}

TEST_F(SteeredTypes, AClientSubnetCanBeLeftOut) {
    const auto reply = ask(with_subnet("10.2.3.0/24", "blind.t.example"));
    EXPECT_EQ(reply.answer, Lines{"blind.t.example. 30 in a 192.0.2.10"});
    EXPECT_EQ(reply.scope, 0);
    source_ = *parse_ip("10.2.0.1");
    EXPECT_EQ(ask({"blind.t.example", "A"}).answer, Lines{"blind.t.example. 30 in a 192.0.2.20"});
}

TEST_F(SteeredTypes, AResolverThatHidesItsClientsHasAClassOfItsOwn) {
    source_ = *parse_ip("198.51.100.7");
    EXPECT_EQ(ask({"web.t.example", "A"}).answer, Lines{"web.t.example. 30 in a 192.0.2.20"});
    const auto by_client = ask(with_subnet("198.51.100.0/24", "web.t.example"));
    EXPECT_EQ(by_client.answer, Lines{"web.t.example. 30 in a 192.0.2.10"})
        << "as a client it is like any other";
}

}  // namespace
}  // namespace twinsite::gslb::answer
