// SPDX-License-Identifier: Apache-2.0
#include "slb/config.hpp"

#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::slb {
namespace {

using std::chrono::milliseconds;

const char* const kSmallest = R"(node: slb-east
identity: {host: slb.east.example.net, realm: example.net}
listen: [127.0.1.20:3868]
control: {socket: run/slb.sock}
state: {directory: state}
)";

struct Read {
    Config config;
    std::vector<std::string> findings;
};

Read read(const std::string& text) {
    Read out;
    auto document = base::config::Document::parse(text, "slb.yaml");
    out.config = parse_config(document.root());
    for (const auto& finding : document.findings()) out.findings.push_back(to_string(finding));
    return out;
}

TEST(Config, SmallestFileGetsTheDocumentedDefaults) {
    const auto [config, findings] = read(kSmallest);
    ASSERT_EQ(findings, std::vector<std::string>{});
    EXPECT_EQ(config.node, "slb-east");
    EXPECT_EQ(config.control_socket, "./run/slb.sock");
    EXPECT_EQ(config.state_directory, "./state");
    EXPECT_FALSE(config.status);
    const auto& proxy = config.proxy;
    EXPECT_EQ(proxy.host, "slb.east.example.net");
    EXPECT_EQ(proxy.max_connections, 1024u);
    EXPECT_EQ(proxy.client_watchdog, milliseconds(30'000));
    EXPECT_TRUE(proxy.applications.empty());
    EXPECT_EQ(proxy.request_timeout, milliseconds(700));
    EXPECT_EQ(proxy.tries, 3u);
    EXPECT_EQ(proxy.suspect_after, milliseconds(400));
    EXPECT_EQ(proxy.pending_per_blade, 65'536u);
    EXPECT_EQ(proxy.session_idle, std::chrono::seconds(3600));
    EXPECT_EQ(proxy.session_capacity, 1'000'000u);
    EXPECT_EQ(proxy.balance, "volume");
    EXPECT_EQ(proxy.blade_watchdog, milliseconds(6'000));
    EXPECT_EQ(proxy.reconnect_min, milliseconds(100));
    EXPECT_EQ(proxy.reconnect_max, milliseconds(5'000));
    EXPECT_FALSE(proxy.blade_bind);
    EXPECT_TRUE(proxy.blades.empty());
}

TEST(Config, EveryKeyIsRead) {
    const auto [config, findings] = read(R"(node: slb-east
identity: {host: slb.east.example.net, realm: example.net}
listen: ["127.0.1.20:3868", "[::1]:3868"]
control: {socket: /run/slb.sock}
status: {listen: 127.0.1.20:8440, tls: {certificate: /etc/c.pem, key: k.pem}}
state: {directory: /var/lib/slb}
clients: {max_connections: 10, watchdog: 6s, hosts: [ne1.example.net, "*.access.example.net"]}
applications: [4, 16777238]
request: {timeout: 2s, tries: 2, suspect_after: 1s}
pending_per_blade: 100
sessions: {idle: 10m, capacity: 5000}
balance: round_robin
blade_link: {watchdog: 10s, reconnect: {min: 1s, max: 2s}, bind: 127.0.1.20}
blades:
  - {name: b1, address: 127.0.1.31:3868}
)");
    ASSERT_EQ(findings, std::vector<std::string>{});
    EXPECT_EQ(config.control_socket, "/run/slb.sock");
    ASSERT_TRUE(config.status);
    EXPECT_EQ(config.status->certificate, "/etc/c.pem");
    EXPECT_EQ(config.status->key, "./k.pem");
    const auto& proxy = config.proxy;
    EXPECT_EQ(proxy.listen.size(), 2u);
    EXPECT_EQ(proxy.client_hosts.size(), 2u);
    EXPECT_EQ(proxy.applications, (std::vector<std::uint32_t>{4, 16777238}));
    EXPECT_EQ(proxy.request_timeout, milliseconds(2'000));
    EXPECT_EQ(proxy.tries, 2u);
    EXPECT_EQ(proxy.suspect_after, milliseconds(1'000));
    EXPECT_EQ(proxy.session_idle, std::chrono::seconds(600));
    EXPECT_EQ(proxy.balance, "round_robin");
    EXPECT_EQ(to_string(*proxy.blade_bind), "127.0.1.20");
    ASSERT_EQ(proxy.blades.size(), 1u);
    EXPECT_EQ(proxy.blades[0].name, "b1");
    EXPECT_FALSE(proxy.blades[0].draining);
}

struct Wrong {
    const char* more;     ///< after the smallest file, which has five lines
    const char* finding;  ///< its beginning: file, line, column, path, first words
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.more;
}

class WrongConfig : public testing::TestWithParam<Wrong> {};

TEST_P(WrongConfig, IsFoundWithItsPlaceAndKey) {
    const auto [config, findings] = read(kSmallest + std::string(GetParam().more));
    ASSERT_FALSE(findings.empty());
    EXPECT_TRUE(findings[0].starts_with(GetParam().finding))
        << "got:    " << findings[0] << "\nwanted: " << GetParam().finding;
}

INSTANTIATE_TEST_SUITE_P(
    Config,
    WrongConfig,
    testing::Values(
        Wrong{"balanced: volume\n", "slb.yaml:6:1: $: unknown key 'balanced'; did you mean"},
        Wrong{"balance: fastest\n", "slb.yaml:6:10: $.balance: "},
        Wrong{"pending_per_blade: 0\n", "slb.yaml:6:20: $.pending_per_blade: must be between 1"},
        Wrong{"pending_per_blade: many\n", "slb.yaml:6:20: $.pending_per_blade: must be"},
        Wrong{"request: {timeout: 700}\n", "slb.yaml:6:20: $.request.timeout: must be a duration"},
        Wrong{"request: {timeout: 2m}\n", "slb.yaml:6:20: $.request.timeout: must be between"},
        Wrong{"request: {tries: 0}\n", "slb.yaml:6:18: $.request.tries: must be between 1 and 16"},
        Wrong{
            "request: {timeout: 100ms, suspect_after: 200ms}\n",
            "slb.yaml:6:10: $.request: suspect_after (200ms) must not be longer"
        },
        Wrong{"request: {time_out: 1s}\n", "slb.yaml:6:11: $.request: unknown key 'time_out'"},
        Wrong{
            "clients: {max_connections: 70000}\n",
            "slb.yaml:6:28: $.clients.max_connections: must be between 1 and 65536"
        },
        Wrong{"clients: {hosts: [\"ne*\"]}\n", "slb.yaml:6:19: $.clients.hosts[0]: must be a host"},
        Wrong{"clients: {watchdog: 1ms}\n", "slb.yaml:6:21: $.clients.watchdog: must be between"},
        Wrong{
            "applications: [relay, 4]\n", "slb.yaml:6:16: $.applications[0]: 'relay' means every"
        },
        Wrong{
            "applications: [4, 4]\n", "slb.yaml:6:19: $.applications[1]: application 4 is listed"
        },
        Wrong{"applications: [0]\n", "slb.yaml:6:16: $.applications[0]: must be 'relay' or"},
        Wrong{"sessions: {capacity: 10}\n", "slb.yaml:6:22: $.sessions.capacity: must be between"},
        Wrong{"sessions: {idle: 3d}\n", "slb.yaml:6:18: $.sessions.idle: must be between"},
        Wrong{
            "blade_link: {reconnect: {min: 5s, max: 1s}}\n",
            "slb.yaml:6:25: $.blade_link.reconnect: min must not be longer than max"
        },
        Wrong{"blade_link: {bind: east}\n", "slb.yaml:6:20: $.blade_link.bind: must be an IPv4"},
        Wrong{
            "status: {listen: 127.0.0.1}\n", "slb.yaml:6:18: $.status.listen: must be an address"
        },
        Wrong{"status: {tls: {}}\n", "slb.yaml:6:9: $.status: key 'listen' is missing"},
        Wrong{
            "blades: [{name: b1, address: 127.0.1.31:0}]\n",
            "slb.yaml:6:30: $.blades[0].address: must have a port from 1 to 65535"
        },
        Wrong{
            "blades: [{address: 127.0.1.31:3868}]\n",
            "slb.yaml:6:10: $.blades[0]: key 'name' is missing"
        },
        Wrong{
            "blades: [{name: \"b 1\", address: 127.0.1.31:3868}]\n",
            "slb.yaml:6:17: $.blades[0].name: must be a name of 1 to 63"
        },
        Wrong{
            "blades:\n  - {name: b1, address: 127.0.1.31:3868}\n"
            "  - {name: b1, address: 127.0.1.32:3868}\n",
            "slb.yaml:8:5: $.blades[1]: blade 'b1' is given twice"
        },
        Wrong{
            "blades:\n  - {name: b1, address: 127.0.1.31:3868}\n"
            "  - {name: b2, address: 127.0.1.31:3868}\n",
            "slb.yaml:8:5: $.blades[1]: address 127.0.1.31:3868 is already that of 'b1'"
        },
        Wrong{
            "blades: [{name: b1, address: 127.0.1.20:3868}]\n",
            "slb.yaml:6:10: $.blades[0]: address 127.0.1.20:3868 is our own"
        },
        Wrong{"node: again\n", "slb.yaml:6:1: $"}
    )
);

TEST(Config, MissingAndWrongObligatoryKeysAreAllReported) {
    const auto [config, findings] = read("identity: {host: .x, realm: ''}\nlisten: []\n");
    std::string all;
    for (const auto& finding : findings) all += finding + "\n";
    for (const auto* wanted :
         {"key 'node' is missing",
          "slb.yaml:1:18: $.identity.host: must be a domain name",
          "$.identity.realm",
          "slb.yaml:2:9: $.listen: must list at least one address",
          "key 'control' is missing",
          "key 'state' is missing"})
        EXPECT_NE(all.find(wanted), std::string::npos) << wanted << " not in\n" << all;
}

TEST(Config, SomeSettingsNeedARestart) {
    const auto running = read(kSmallest).config;
    EXPECT_EQ(needs_restart(running, running), "");
    auto fresh = running;
    fresh.proxy.listen.clear();
    fresh.proxy.blades.push_back({});
    fresh.proxy.request_timeout = milliseconds(1);
    EXPECT_EQ(needs_restart(running, fresh), "");
    fresh.proxy.host = "other";
    EXPECT_EQ(needs_restart(running, fresh), "$.identity.host");
}

TEST(Config, SampleFileIsGoodAndShowsEveryKey) {
    auto document = base::config::Document::load(SOURCE_ROOT "/slb/etc/slb.yaml");
    const auto config = parse_config(document.root());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    EXPECT_EQ(config.proxy.blades.size(), 2u);
}

TEST(Config, ReferencePageNamesEveryKey) {
    std::ifstream in(SOURCE_ROOT "/docs/operator/configuration-slb.md");
    ASSERT_TRUE(in.good());
    const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto document = base::config::Document::parse(
        R"(status: {listen: "1.2.3.4:5", tls: {}}
clients: {}
request: {}
sessions: {}
blade_link: {reconnect: {}}
blades: [{}]
)",
        "slb.yaml"
    );
    parse_config(document.root());
    EXPECT_GT(document.asked().size(), 30u);
    for (auto key : document.asked()) {
        if (key.starts_with("$.")) key = key.substr(2);
        EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
    }
}

}  // namespace
}  // namespace twinsite::slb
