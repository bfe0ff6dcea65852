// SPDX-License-Identifier: Apache-2.0
#include "monitor/config.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "monitor/action/definition.hpp"

namespace twinsite::monitor {
namespace {

const std::string kSource = SOURCE_ROOT;

struct Parsed {
    Config config;
    std::string findings;
};
Parsed parse(const std::string& text) {
    const auto document = base::config::Document::parse(text, "/etc/m.yaml");
    Parsed out{parse_config(document.root()), {}};
    for (const auto& finding : document.findings()) out.findings += to_string(finding) + "\n";
    return out;
}

const std::string kAgent = R"(
role: agent
node: if1
site: east
servers: [127.0.0.1:7600]
tls: {certificate: a.crt, key: a.key, ca: ca.crt}
state: {directory: s}
)";
const std::string kSite = R"(
role: site
node: mon
site: east
listen: 127.0.0.1:7600
servers: [127.0.0.1:8444]
tls: {certificate: a.crt, key: a.key, ca: ca.crt}
state: {directory: s}
)";

TEST(Config, AnAgentHasItsDefaults) {
    const auto parsed = parse(kAgent);
    EXPECT_EQ(parsed.findings, "");
    const auto& config = parsed.config;
    EXPECT_EQ(config.role, Role::agent);
    EXPECT_EQ(config.links.self, (wire::contract::Identity{"east", "agent", "if1"}));
    EXPECT_EQ(config.links.interval, std::chrono::seconds(10));
    EXPECT_EQ(config.links.tls.certificate, "/etc/a.crt");
    EXPECT_EQ(config.state_directory, "/etc/s");
    EXPECT_EQ(config.kind, "other");
    EXPECT_EQ(config.memory.soft_bytes, 64U * 1024 * 1024);
    EXPECT_EQ(config.memory.hard_bytes, 96U * 1024 * 1024);
}

TEST(Config, AMonitorOfASiteHasItsProbes) {
    const auto parsed = parse(
        kSite +
        "probes:\n"
        "  - {name: a, kind: tcp, subject: 'site:west', address: 127.0.0.1:1, interval: 200ms}\n"
        "  - {name: c, kind: charging, subject: 'service:ocs', view: east, question: q.example,\n"
        "     servers: [127.0.0.1:53], bind: 127.10.1.9, realm: example.net}\n"
    );
    EXPECT_EQ(parsed.findings, "");
    ASSERT_EQ(parsed.config.probes.size(), 2U);
    EXPECT_EQ(parsed.config.probes[0].timeout, std::chrono::milliseconds(200));
    EXPECT_EQ(parsed.config.probes[1].view, "east");
    EXPECT_EQ(parsed.config.probes[1].port, 3868);
    EXPECT_EQ(parsed.config.links.self.role, "monitor");
}

TEST(Config, TellsWhatIsWrong) {
    const auto finds = [](const std::string& text, const std::string& words) {
        const auto findings = parse(text).findings;
        EXPECT_NE(findings.find(words), std::string::npos) << findings;
    };
    finds("role: boss\n", "role");
    finds("node: a\n", "missing key 'role'");
    finds(kAgent + "listen: 127.0.0.1:1\n", "unknown key 'listen'");
    finds(kSite + "kind: interface\n", "unknown key 'kind'");
    finds(kAgent + "interval: 100ms\n", "must be between 200ms and 10m");
    finds(kAgent + "memory: {soft_mib: 200, hard_mib: 100}\n", "must be below");
    finds(
        kSite + "probes: [{name: a, kind: tcp, subject: west, address: 127.0.0.1:1}]\n",
        "must be site:NAME"
    );
    finds(
        kSite +
            "probes:\n"
            "  - {name: a, kind: tcp, subject: 'site:w', address: 127.0.0.1:1}\n"
            "  - {name: a, kind: tcp, subject: 'site:w', address: 127.0.0.1:1}\n",
        "a second probe 'a'"
    );
    finds(
        kSite + "probes: [{name: a, subject: 'site:w', address: 127.0.0.1:1}]\n",
        "missing key 'kind'"
    );
    auto twice = kAgent;
    twice.replace(twice.find("127.0.0.1:7600"), 14, "127.0.0.1:1, 127.0.0.1:1");
    finds(twice, "is listed twice");
    auto upper = kAgent;
    upper.replace(upper.find("if1"), 3, "IF1");
    finds(upper, "a-z");
}

TEST(Config, SampleFilesAreGood) {
    for (const char* name : {"monitor.yaml", "site-monitor.yaml"}) {
        const auto document = base::config::Document::load(kSource + "/monitor/etc/" + name);
        parse_config(document.root());
        for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    }
    const auto document = base::config::Document::load(kSource + "/monitor/etc/actions.yaml");
    EXPECT_FALSE(action::parse_actions(document.root()).empty());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
}

TEST(Config, ReferencePageNamesEveryKey) {
    std::ifstream in(kSource + "/docs/operator/configuration-monitor.md");
    ASSERT_TRUE(in.good());
    const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto expect_named = [&](const base::config::Document& document, std::size_t least) {
        EXPECT_GE(document.asked().size(), least);
        for (auto key : document.asked()) {
            if (key.starts_with("$.")) key = key.substr(2);
            if (const auto at = key.find("parameters."); at != std::string::npos) {
                key = key.substr(key.rfind('.') + 1);
                if (key == "x" || key == "min" || key == "max") continue;
            }
            EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
        }
    };
    const auto agent = base::config::Document::parse(
        "role: agent\nmemory: {}\nactions: {}\n"
        "collect: {disks: {}, processes: [{match: {}}]}\ntls: {}\nstate: {}\n",
        "m.yaml"
    );
    parse_config(agent.root());
    expect_named(agent, 25);
    const auto site = base::config::Document::parse(
        "role: site\ntls: {}\nstate: {}\nprobes: [{kind: http}, {kind: charging}]\n", "m.yaml"
    );
    parse_config(site.root());
    expect_named(site, 20);
    const auto actions =
        base::config::Document::parse("actions: [{parameters: {x: {integer: {}}}}]\n", "a.yaml");
    action::parse_actions(actions.root());
    expect_named(actions, 8);
}

}  // namespace
}  // namespace twinsite::monitor
