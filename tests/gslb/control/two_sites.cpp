// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/control/two_sites.hpp"

#include <sstream>

#include "base/error/check.hpp"
#include "gslb/control/error.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/loader.hpp"

namespace twinsite::gslb::control {
namespace {

constexpr const char* kZone = R"($ORIGIN example.net.
$TTL 3600
@     IN SOA ns hostmaster 2026113001 3600 900 1209600 60
@     IN NS  ns
ns    IN A   127.0.1.10
www   IN A   192.0.2.80
      IN TXT "a \"quoted\" text" "second"
alias IN CNAME ocs
)";

base::text::IpAddress ip(const char* text) {
    return *base::text::parse_ip(text);
}

steering::Steering make_steering(bool with_north) {
    using enum steering::FilterKind;
    steering::Steering out;
    out.sites = {"east", "west"};
    steering::Service ocs;
    ocs.name = "ocs";
    ocs.targets.push_back({"ocs-east", 0, {ip("127.0.1.20"), ip("2001:db8:1::20")}, 10});
    ocs.targets.push_back({"ocs-west", 1, {ip("127.0.2.20")}, 10});
    if (with_north) {
        out.sites.push_back("north");
        ocs.targets.push_back({"ocs-north", 2, {ip("127.0.3.20")}, 10});
    }
    out.services.push_back(ocs);
    steering::Policy policy;
    policy.owner = "ocs.example.net.";
    policy.filters = {{override_, {}}, {up, {}}, {nearest, {}}, {failover, {}}};
    out.policies.push_back(policy);
    policy.owner = "drawn.example.net.";
    policy.filters = {{override_, {}}, {up, {}}, {weighted, {}}};
    out.policies.push_back(policy);
    policy = out.policies.front();
    policy.owner = "*.any.example.net.";
    out.policies.push_back(policy);
    return out;
}

Setup make_setup(bool with_north) {
    auto steering = std::make_shared<const steering::Steering>(make_steering(with_north));
    const std::vector<steering::PrefixEntry> entries{
        {*base::text::parse_prefix("10.1.0.0/16"), {0}},
        {*base::text::parse_prefix("10.2.0.0/16"), {1}},
    };
    std::istringstream text(kZone);
    auto loaded =
        zone::load_master(text, "example.net.zone", *wire::dns::parse_name("example.net"));
    BASE_CHECK(loaded.zone);
    std::vector<std::string> problems;
    const auto names = answer::steered_names(*steering, problems);
    const std::vector<zone::ZoneData> zones{*loaded.zone};
    auto built = zone::build_index(zones, names);
    BASE_CHECK(built.index && problems.empty());
    return {
        "gslb-test",
        "east",
        steering,
        std::make_shared<const steering::PrefixMap>(entries, steering::default_orders(*steering)),
        built.index
    };
}

Helm::Seams seams_of(HelmUnderTest& test) {
    Helm::Seams out;
    out.health = [&test](std::string_view id) { return test.health.find(id)->second; };
    out.checks = [&test](std::string_view id) {
        health::CheckView check;
        check.name = "ready";
        check.target = *base::net::parse_endpoint("127.0.1.20:8440");
        check.state = test.health.find(id)->second.state;
        check.age = std::chrono::milliseconds(1500);
        check.successes = 7;
        check.failures = 2;
        return std::vector<health::CheckView>{check};
    };
    out.publish = [&test](auto snapshot) { test.published.push_back(std::move(snapshot)); };
    out.keep = [&test](const Overrides& overrides) -> base::Result<void> {
        if (!test.disk_works) return base::Error(ENOSPC, boost::system::system_category());
        test.kept.push_back(overrides);
        return {};
    };
    out.keep_control = [&test](const KeptControl& control) -> base::Result<void> {
        if (!test.disk_works) return base::Error(ENOSPC, boost::system::system_category());
        test.kept_control.push_back(control);
        return {};
    };
    return out;
}

}  // namespace

Setup two_sites() {
    return make_setup(false);
}
Setup three_sites() {
    return make_setup(true);
}

HelmUnderTest::HelmUnderTest() : helm(seams_of(*this), {}) {
    for (const auto* target : {"ocs-east", "ocs-west", "ocs-north"})
        set_health(target, health::State::up);
    helm.adopt(two_sites());
}

void HelmUnderTest::set_health(const std::string& target, health::State state, bool restored) {
    health[target_id("ocs", target)] = {state, false, restored};
}

}  // namespace twinsite::gslb::control
