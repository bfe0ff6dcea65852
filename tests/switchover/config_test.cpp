// SPDX-License-Identifier: Apache-2.0
#include "switchover/config.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::switchover {
namespace {

using std::chrono::milliseconds;

constexpr const char* kSmallest = R"(node: sw
site: arbiter
machine: {listen: 127.0.3.30:8444, tls: {certificate: a.crt, key: a.key, ca: /ca.crt}}
signing: {certificate: s.crt, key: s.key}
state: {directory: state}
sites: [{name: east}, {name: west}]
gslbs: [{name: g1, site: east, control: 127.0.1.10:8440}]
scenarios: {directory: scenarios}
)";

struct Read {
    Config config;
    std::string findings;
    std::set<std::string> asked;
};

Read read(const std::string& text) {
    auto document = base::config::Document::parse(text, "/etc/sw.yaml");
    Read out;
    out.config = parse_config(document.root());
    for (const auto& finding : document.findings()) out.findings += to_string(finding) + "\n";
    out.asked = document.asked();
    return out;
}

std::string without(const std::string& line) {
    std::string out;
    std::istringstream in(kSmallest);
    for (std::string each; std::getline(in, each);)
        if (!each.starts_with(line)) out += each + "\n";
    return out;
}

TEST(Config, TheSmallestFileIsEnough) {
    const auto got = read(kSmallest);
    EXPECT_EQ(got.findings, "");
    EXPECT_EQ(got.config.identity(), "twinsite://arbiter/switchover/sw");
    EXPECT_EQ(got.config.machine.tls.certificate, "/etc/a.crt");
    EXPECT_EQ(got.config.machine.tls.ca, "/ca.crt");
    EXPECT_EQ(got.config.client.certificate, "/etc/a.crt");
    EXPECT_EQ(got.config.state_directory, "/etc/state");
    EXPECT_EQ(got.config.scenarios.directory, "/etc/scenarios");
    EXPECT_FALSE(got.config.console);
    EXPECT_EQ(got.config.rules.site_down_for, milliseconds(60'000));
    EXPECT_EQ(got.config.rules.longest_interval, 3 * got.config.scenarios.report_interval);
}

TEST(Config, EachMissingPartIsNamed) {
    for (const auto* key : {"node", "site", "machine", "signing", "state", "sites", "scenarios"}) {
        const auto findings = read(without(std::string(key) + ":")).findings;
        EXPECT_NE(findings.find("'" + std::string(key) + "'"), std::string::npos)
            << key << ": " << findings;
    }
}

TEST(Config, FindingsNameLineAndColumn) {
    const auto findings = read(std::string(kSmallest) + R"(judge: {site_down_for: 10}
dns:
  servers: {g2: 127.0.1.10:53}
  sites:
    middle: {answers: [127.0.1.300], clients: 10.0.0.1/8}
history: {keep: 1m}
consol: {}
)")
                              .findings;
    EXPECT_NE(findings.find("/etc/sw.yaml:9:24: $.judge.site_down_for"), std::string::npos)
        << findings;
    EXPECT_NE(
        findings.find("/etc/sw.yaml:11:17: $.dns.servers.g2: unknown gslb 'g2'"), std::string::npos
    ) << findings;
    EXPECT_NE(findings.find("unknown site 'middle'"), std::string::npos) << findings;
    EXPECT_NE(findings.find("$.dns.sites.middle.answers[0]"), std::string::npos) << findings;
    EXPECT_NE(findings.find("$.dns.sites.middle.clients"), std::string::npos) << findings;
    EXPECT_NE(findings.find("$.history.keep: must be between 1h"), std::string::npos) << findings;
    EXPECT_NE(findings.find("unknown key 'consol'"), std::string::npos) << findings;
}

TEST(Config, AllPartsAreRead) {
    const auto got = read(std::string(kSmallest) + R"(
console: {listen: 127.0.3.30:8443, tls: {certificate: c.crt, key: c.key}, assets: web}
client: {certificate: x.crt, key: x.key, ca: ca2.crt, crl: crl.pem}
dns:
  servers: {g1: 127.0.1.10:5300}
  sites: {east: {answers: [127.0.1.20, "::1"], clients: 127.10.1.0/24}}
history: {keep: 30d, max_mib: 100}
first_password: {file: run/first}
)");
    EXPECT_EQ(got.findings, "");
    ASSERT_TRUE(got.config.console);
    EXPECT_EQ(got.config.console->assets, "/etc/web");
    EXPECT_EQ(got.config.client.crl, "/etc/crl.pem");
    EXPECT_EQ(to_string(got.config.dns_servers.at("g1")), "127.0.1.10:5300");
    ASSERT_EQ(got.config.dns_places.size(), 1U);
    EXPECT_EQ(got.config.dns_places[0].answers.size(), 2U);
    EXPECT_TRUE(got.config.dns_places[0].clients);
    EXPECT_EQ(got.config.history.max_mib, 100U);
    EXPECT_EQ(got.config.first_password_file, "/etc/run/first");
}

TEST(Config, SampleFileIsGood) {
    auto document = base::config::Document::load(SOURCE_ROOT "/switchover/etc/switchover.yaml");
    const auto config = parse_config(document.root());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    EXPECT_EQ(config.plan.gslbs.size(), 2U);
}

TEST(Config, ReferencePageNamesEveryKey) {
    std::ifstream in(SOURCE_ROOT "/docs/operator/configuration-switchover.md");
    ASSERT_TRUE(in.good());
    std::ostringstream page;
    page << in.rdbuf();
    auto asked = read(R"(console: {tls: {}}
machine: {tls: {}}
client: {}
judge: {}
sites: [{title: {}}]
agents: [{}]
monitors: [{}]
gslbs: [{}]
slbs: [{}]
services: [{title: {}}]
dns: {sites: {SITE: {answers: []}}}
history: {}
first_password: {}
)")
                     .asked;
    EXPECT_GT(asked.size(), 60U);
    for (auto key : asked) {
        if (key.starts_with("$.")) key = key.substr(2);
        EXPECT_NE(page.str().find("`" + key + "`"), std::string::npos) << key;
    }
}

}  // namespace
}  // namespace twinsite::switchover
