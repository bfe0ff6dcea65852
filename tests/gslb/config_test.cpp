// SPDX-License-Identifier: Apache-2.0
#include "gslb/config.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace twinsite::gslb {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kGood = R"(node: gslb-east-1
site: east
listen:
  - 127.0.1.10:5300
  - "[::1]:5300"
workers: 2
udp_payload_bytes: 1400
tcp: {idle: 20s, max_connections: 100}
control: {socket: run/east.sock}
status: {listen: 127.0.1.10:8440}
state: {directory: state}
sites: [east, west]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [east]}
    - {prefix: 10.2.0.0/16, sites: [west, east]}
zones:
  - {name: example.net, file: example.net.zone}
checks:
  - {name: ready, type: http, port: 8440, path: /readyz, host: slb, expect_status: [200, 204], interval: 1s, timeout: 400ms, up_threshold: 2, ok_threshold: 3, down_threshold: 4}
  - {name: port, type: tcp, port: 3868}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: [127.0.1.20, "2001:db8::1"], weight: 3, checks: [ready, port]}
      - {name: ocs-west, site: west, addresses: [127.0.2.20]}
steered:
  - name: ocs.example.net
    service: ocs
    ttl: {min: 5s, max: 30s}
    all_down: closed
    filters: [override, up, nearest: {default: [west, east]}, failover: {order: [west]}]
)";

class ConfigTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("gslb_config_test." + std::to_string(::getpid()));
        fs::create_directories(folder_);
        std::ofstream(folder_ / "example.net.zone") << "\n";
    }
    void TearDown() override { fs::remove_all(folder_); }

    base::config::Document parse(const std::string& text) {
        auto document = base::config::Document::parse(text, folder_ / "gslb.yaml");
        config_ = parse_config(document.root());
        return document;
    }
    /// All findings, a line each, without the folder.
    std::string findings_of(const std::string& text) {
        std::string out;
        const auto document = parse(text);
        for (const auto& finding : document.findings()) {
            auto line = to_string(finding);
            const auto folder = folder_.string() + "/";
            for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder))
                line.erase(at, folder.size());
            out += line + "\n";
        }
        return out;
    }

    fs::path folder_;
    Config config_;
};

TEST_F(ConfigTest, ReadsEveryKeyIntoItsPlace) {
    ASSERT_EQ(findings_of(kGood), "");
    EXPECT_EQ(config_.node, "gslb-east-1");
    EXPECT_EQ(config_.site, "east");
    ASSERT_EQ(config_.listen.size(), 2U);
    EXPECT_EQ(to_string(config_.listen[0]), "127.0.1.10:5300");
    EXPECT_EQ(to_string(config_.listen[1]), "[::1]:5300");
    EXPECT_EQ(config_.workers, 2U);
    EXPECT_EQ(config_.udp_payload_bytes, 1400);
    EXPECT_EQ(config_.tcp.idle, seconds(20));
    EXPECT_EQ(config_.tcp.max_connections, 100U);
    EXPECT_EQ(config_.control_socket, folder_ / "run/east.sock");
    ASSERT_TRUE(config_.status);
    EXPECT_EQ(config_.status->listen.port, 8440);
    EXPECT_FALSE(config_.status->tls);
    EXPECT_EQ(config_.state_directory, folder_ / "state");
    ASSERT_EQ(config_.zones.size(), 1U);
    EXPECT_EQ(config_.zones[0].origin.to_string(), "example.net.");
    EXPECT_EQ(config_.zones[0].file, folder_ / "example.net.zone");
    ASSERT_EQ(config_.prefixes.size(), 2U);
    EXPECT_EQ(to_string(config_.prefixes[1].prefix), "10.2.0.0/16");
    EXPECT_EQ(config_.prefixes[1].sites, (steering::SiteOrder{1, 0}));
}

TEST_F(ConfigTest, ReadsChecksServicesAndSteeredNames) {
    ASSERT_EQ(findings_of(kGood), "");
    ASSERT_EQ(config_.checks.size(), 2U);
    const auto& ready = config_.checks[0];
    EXPECT_EQ(ready.kind, health::Kind::http);
    EXPECT_EQ(ready.port, 8440);
    EXPECT_EQ(ready.path, "/readyz");
    EXPECT_EQ(ready.host, "slb");
    EXPECT_EQ(ready.expect_status, (std::vector<unsigned>{200, 204}));
    EXPECT_EQ(ready.interval, seconds(1));
    EXPECT_EQ(ready.timeout, milliseconds(400));
    EXPECT_EQ(ready.thresholds, (health::Thresholds{2, 3, 4}));
    const auto& port = config_.checks[1];
    EXPECT_EQ(port.interval, seconds(10));
    EXPECT_EQ(port.timeout, seconds(5));
    EXPECT_EQ(port.thresholds, (health::Thresholds{20, 10, 10}));
    const auto& steering = config_.steering;
    EXPECT_EQ(steering.sites, (std::vector<std::string>{"east", "west"}));
    ASSERT_EQ(steering.services.size(), 1U);
    const auto& targets = steering.services[0].targets;
    ASSERT_EQ(targets.size(), 2U);
    EXPECT_EQ(targets[0].name, "ocs-east");
    EXPECT_EQ(targets[0].addresses.size(), 2U);
    EXPECT_EQ(targets[0].weight, 3U);
    EXPECT_EQ(targets[1].site, 1);
    EXPECT_EQ(targets[1].weight, 1U);
    EXPECT_EQ(config_.target_checks, (TargetChecks{{{0, 1}, {}}}));
    ASSERT_EQ(steering.policies.size(), 1U);
    const auto& policy = steering.policies[0];
    EXPECT_EQ(policy.owner, "ocs.example.net.");
    EXPECT_EQ(policy.ttl_min, seconds(5));
    EXPECT_EQ(policy.ttl_max, seconds(30));
    EXPECT_EQ(policy.all_down, steering::AllDown::closed);
    ASSERT_EQ(policy.filters.size(), 4U);
    EXPECT_EQ(policy.filters[2].kind, steering::FilterKind::nearest);
    EXPECT_EQ(policy.filters[2].order, (steering::SiteOrder{1, 0}));
    EXPECT_EQ(policy.filters[3].order, (steering::SiteOrder{1}));
    EXPECT_EQ(config_.steered_names[0].to_string(), "ocs.example.net.");
}

TEST_F(ConfigTest, LeavesTheOptionalPartsOut) {
    ASSERT_EQ(
        findings_of(R"(node: n
site: east
listen: [127.0.1.10:5300]
control: {socket: /run/x.sock}
state: {directory: /var/lib/x}
sites: [east]
zones: [{name: example.net, file: example.net.zone}]
)"),
        ""
    );
    EXPECT_EQ(config_.control_socket, "/run/x.sock");
    EXPECT_EQ(config_.workers, 1U);
    EXPECT_EQ(config_.udp_payload_bytes, 1232);
    EXPECT_EQ(config_.tcp.idle, seconds(10));
    EXPECT_FALSE(config_.status);
    EXPECT_TRUE(config_.steering.policies.empty());
}

TEST_F(ConfigTest, ReportsAllFindingsAtOnce) {
    const auto findings = findings_of("node: n\nsiet: east\nlisten: []\n");
    EXPECT_NE(
        findings.find("$: unknown key 'siet'; did you mean 'sites' or 'site'"), std::string::npos
    );
    EXPECT_NE(findings.find("key 'sites' is missing"), std::string::npos);
    EXPECT_NE(findings.find("$.listen: must list at least one address"), std::string::npos);
    EXPECT_NE(findings.find("key 'zones' is missing"), std::string::npos);
}

/// The keys in the first column of the page's tables.
std::set<std::string> keys_of_the_page() {
    std::ifstream in(fs::path(SOURCE_ROOT) / "docs/operator/configuration-gslb.md");
    std::set<std::string> out;
    bool in_keys = false;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("|")) in_keys = false;
        if (line.starts_with("| key |")) in_keys = true;
        const auto end = line.find('`', 3);
        if (in_keys && line.starts_with("| `")) out.insert("$." + line.substr(3, end - 3));
    }
    return out;
}

TEST_F(ConfigTest, ThePageListsExactlyTheKeysThatAreAsked) {
    std::string text = kGood;
    const auto put = [&](const std::string& old, const std::string& fresh) {
        ASSERT_NE(text.find(old), std::string::npos);
        text.replace(text.find(old), old.size(), fresh);
    };
    put("{socket: run/east.sock}",
        "{socket: run/east.sock, listen: 127.0.1.10:8449, "
        "tls: {certificate: a, key: b, ca: c, crl: d}}");
    put("{listen: 127.0.1.10:8440}", "{listen: 127.0.1.10:8440, tls: {certificate: a, key: b}}");
    put("networks:\n", "networks:\n  file: networks.txt\n");
    put("override, up,", "override, up, weighted: {pick: one},");
    auto asked = parse(text).asked();
    // "override" and "up" are asked as keys only when they stand as maps: they have no parameters.
    const auto page = keys_of_the_page();
    for (const auto& key : asked) EXPECT_TRUE(page.contains(key)) << "not on the page: " << key;
    for (const auto& key : page) EXPECT_TRUE(asked.contains(key)) << "never asked: " << key;
}

TEST(ConfigSample, IsGood) {
    const auto path = fs::path(SOURCE_ROOT) / "gslb/etc/gslb.yaml";
    const auto document = base::config::Document::load(path);
    parse_config(document.root());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
}

TEST_F(ConfigTest, ReadsControlOverTls) {
    for (const char* file : {"c.crt", "c.key", "ca.crt", "crl.pem"}) {
        std::ofstream out(folder_ / file);
        out << "x";
    }
    std::string text = kGood;
    const std::string old = "{socket: run/east.sock}";
    text.replace(
        text.find(old),
        old.size(),
        "{socket: run/east.sock, listen: 127.0.1.10:8449, "
        "tls: {certificate: c.crt, key: c.key, ca: ca.crt, crl: crl.pem}}"
    );
    ASSERT_EQ(findings_of(text), "");
    ASSERT_TRUE(config_.control_listener);
    EXPECT_EQ(to_string(config_.control_listener->listen), "127.0.1.10:8449");
    EXPECT_EQ(config_.control_listener->tls.key, folder_ / "c.key");
    EXPECT_EQ(config_.control_listener->ca, folder_ / "ca.crt");
    EXPECT_EQ(config_.control_listener->crl, folder_ / "crl.pem");
}

/// One change to the good file, and the one finding it must give.
struct Wrong {
    const char* name;
    const char* old;
    const char* text;
    const char* finding;
};

class WrongConfigTest : public ConfigTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongConfigTest, IsRefusedWithItsPlace) {
    const auto& wrong = GetParam();
    std::string text = kGood;
    const auto at = text.find(wrong.old);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(wrong.old).size(), wrong.text);
    EXPECT_EQ(findings_of(text), std::string(wrong.finding) + "\n");
}

const Wrong kWrong[] = {
    {"BrokenYaml",
     "sites: [east, west]",
     "sites: [east, west",
     "gslb.yaml:13:9: end of sequence flow not found"},
    {"UnknownKey",
     "workers: 2",
     "wrokers: 2",
     "gslb.yaml:6:1: $: unknown key 'wrokers'; did you mean 'workers'?"},
    {"ControlListensWithoutTls",
     "{socket: run/east.sock}",
     "{socket: run/east.sock, listen: 127.0.1.10:8449}",
     "gslb.yaml:9:10: $.control: 'listen' and 'tls' must be there together"},
    {"KeyTwice",
     "workers: 2",
     "workers: 2\nworkers: 3",
     "gslb.yaml:7:1: $: key 'workers' is given twice"},
    {"MissingKey", "node: gslb-east-1\n", "", "gslb.yaml:1:1: $: key 'node' is missing"},
    {"UnknownSite",
     "site: east",
     "site: eest",
     "gslb.yaml:2:7: $.site: unknown site 'eest'; did you mean 'east' or 'west'?"},
    {"SiteTwice",
     "sites: [east, west]",
     "sites: [east, west, east]",
     "gslb.yaml:12:21: $.sites[2]: name 'east' is given twice"},
    {"PortMissing",
     "127.0.1.10:5300",
     "127.0.1.10",
     "gslb.yaml:4:5: $.listen[0]: must be an address with its port, for example 192.0.2.1:53 or "
     "[2001:db8::1]:53, not '127.0.1.10'"},
    {"NameForAnAddress",
     "127.0.1.10:5300",
     "localhost:5300",
     "gslb.yaml:4:5: $.listen[0]: must be an address with its port, for example 192.0.2.1:53 or "
     "[2001:db8::1]:53, not 'localhost:5300'"},
    {"MulticastListen",
     "127.0.1.10:5300",
     "224.0.0.1:5300",
     "gslb.yaml:4:5: $.listen[0]: must be a unicast address"},
    {"ListenTwice",
     "\"[::1]:5300\"",
     "127.0.1.10:5300",
     "gslb.yaml:5:5: $.listen[1]: address 127.0.1.10:5300 is given twice"},
    {"ListenBesideTheWildcard",
     "\"[::1]:5300\"",
     "0.0.0.0:5300",
     "gslb.yaml:5:5: $.listen[1]: address 0.0.0.0:5300 overlaps 127.0.1.10:5300"},
    {"TooManyWorkers",
     "workers: 2",
     "workers: 65",
     "gslb.yaml:6:10: $.workers: must be between 1 and 64, not 65"},
    {"WordForANumber",
     "workers: 2",
     "workers: two",
     "gslb.yaml:6:10: $.workers: must be a whole number, not 'two'"},
    {"PayloadTooSmall",
     "1400",
     "511",
     "gslb.yaml:7:20: $.udp_payload_bytes: must be between 512 and 4096, not 511"},
    {"UnitMissing",
     "idle: 20s",
     "idle: 20",
     "gslb.yaml:8:13: $.tcp.idle: must be a duration with its unit, for example 500ms, 10s, 5m, "
     "not '20'"},
    {"IdleTooLong",
     "idle: 20s",
     "idle: 2h",
     "gslb.yaml:8:13: $.tcp.idle: must be between 1s and 10m, not 2h"},
    {"UnknownKeyInside",
     "max_connections",
     "max_conections",
     "gslb.yaml:8:18: $.tcp: unknown key 'max_conections'; did you mean 'max_connections'?"},
    {"StatusOnTheDnsAddress",
     "127.0.1.10:8440",
     "127.0.1.10:5300",
     "gslb.yaml:10:18: $.status.listen: address 127.0.1.10:5300 already serves DNS"},
    {"StatusOnTheWildcardOfTheDnsPort",
     "127.0.1.10:8440",
     "0.0.0.0:5300",
     "gslb.yaml:10:18: $.status.listen: address 127.0.1.10:5300 already serves DNS"},
    {"TlsKeyMissing",
     "{listen: 127.0.1.10:8440}",
     "{listen: 127.0.1.10:8440, tls: {certificate: example.net.zone}}",
     "gslb.yaml:10:40: $.status.tls: key 'key' is missing"},
    {"TlsFileMissing",
     "{listen: 127.0.1.10:8440}",
     "{listen: 127.0.1.10:8440, tls: {certificate: example.net.zone, key: k.pem}}",
     "gslb.yaml:10:77: $.status.tls.key: file 'k.pem' cannot be read"},
    {"MapForAList",
     "sites: [east, west]",
     "sites: {east: west}",
     "gslb.yaml:12:8: $.sites: must be a list, not a map"},
    {"PrefixWithHostBits",
     "10.1.0.0/16",
     "10.1.2.0/16",
     "gslb.yaml:15:16: $.networks.prefixes[0].prefix: must be a network such as 10.1.0.0/16 with "
     "no bits set beyond its length, not '10.1.2.0/16'"},
    {"PrefixTwice",
     "10.2.0.0/16",
     "10.1.0.0/16",
     "gslb.yaml:16:16: $.networks.prefixes[1].prefix: network 10.1.0.0/16 is given twice"},
    {"PrefixWithUnknownSite",
     "sites: [west, east]}\nzones",
     "sites: [west, eats]}\nzones",
     "gslb.yaml:16:43: $.networks.prefixes[1].sites[1]: unknown site 'eats'; did you mean 'east' "
     "or 'west'?"},
    {"ZoneFileMissing",
     "example.net.zone",
     "example.com.zone",
     "gslb.yaml:18:31: $.zones[0].file: file 'example.com.zone' cannot be read"},
    {"ZoneNameBroken",
     "name: example.net, file",
     "name: example..net, file",
     "gslb.yaml:18:12: $.zones[0].name: must be a domain name, not 'example..net'"},
    {"ZoneTwice",
     "zones:\n",
     "zones:\n  - {name: EXAMPLE.net., file: example.net.zone}\n",
     "gslb.yaml:19:12: $.zones[1].name: zone 'example.net.' is given twice"},
    {"UnknownCheckType",
     "type: http",
     "type: htp",
     "gslb.yaml:20:25: $.checks[0].type: must be one of tcp, http, not 'htp'"},
    {"CheckTypeMissing", "type: tcp, ", "", "gslb.yaml:21:5: $.checks[1]: key 'type' is missing"},
    {"CheckPortZero",
     "port: 3868",
     "port: 0",
     "gslb.yaml:21:35: $.checks[1].port: must be between 1 and 65535, not 0"},
    {"CheckPortTooHigh",
     "port: 3868",
     "port: 70000",
     "gslb.yaml:21:35: $.checks[1].port: must be between 1 and 65535, not 70000"},
    {"TimeoutAboveInterval",
     "timeout: 400ms",
     "timeout: 1500ms",
     "gslb.yaml:20:119: $.checks[0].timeout: must be between 10ms and the interval of 1s"},
    {"ThresholdZero",
     "down_threshold: 4",
     "down_threshold: 0",
     "gslb.yaml:20:176: $.checks[0].down_threshold: must be between 1 and 1000, not 0"},
    {"PathOfTcp",
     "port: 3868",
     "port: 3868, path: /x",
     "gslb.yaml:21:47: $.checks[1].path: has no meaning for a check of type tcp"},
    {"PathWithoutSlash",
     "path: /readyz",
     "path: readyz",
     "gslb.yaml:20:49: $.checks[0].path: must begin with '/' and hold no blanks"},
    {"StatusOutOfRange",
     "[200, 204]",
     "[200, 20]",
     "gslb.yaml:20:90: $.checks[0].expect_status[1]: must be an HTTP status between 100 and 599"},
    {"CheckTwice",
     "- {name: port",
     "- {name: ready, type: tcp, port: 1}\n  - {name: port",
     "gslb.yaml:21:12: $.checks[1].name: name 'ready' is given twice"},
    {"UnknownCheck",
     "checks: [ready, port]",
     "checks: [redy, port]",
     "gslb.yaml:25:98: $.services[0].targets[0].checks[0]: unknown check 'redy'; did you mean "
     "'ready'?"},
    {"TargetTwice",
     "name: ocs-west",
     "name: ocs-east",
     "gslb.yaml:26:16: $.services[0].targets[1].name: name 'ocs-east' is given twice"},
    {"TargetAtUnknownSite",
     "site: west, addresses",
     "site: wset, addresses",
     "gslb.yaml:26:32: $.services[0].targets[1].site: unknown site 'wset'; did you mean 'west' or "
     "'east'?"},
    {"TargetWithoutAddress",
     "addresses: [127.0.2.20]",
     "addresses: []",
     "gslb.yaml:26:49: $.services[0].targets[1].addresses: must list between 1 and 64 addresses"},
    {"AddressTwice",
     "addresses: [127.0.2.20]",
     "addresses: [127.0.2.20, 127.0.2.20]",
     "gslb.yaml:26:62: $.services[0].targets[1].addresses[1]: address 127.0.2.20 is listed twice"},
    {"AddressBroken",
     "addresses: [127.0.2.20]",
     "addresses: [127.0.2]",
     "gslb.yaml:26:50: $.services[0].targets[1].addresses[0]: must be an IPv4 or IPv6 address, not "
     "'127.0.2'"},
    {"WeightTooHigh",
     "weight: 3",
     "weight: 65536",
     "gslb.yaml:25:86: $.services[0].targets[0].weight: must be between 0 and 65535, not 65536"},
    {"NameWithBlank",
     "name: ocs-west",
     "name: ocs west",
     "gslb.yaml:26:16: $.services[0].targets[1].name: must be a name of 1 to 63 letters, digits, "
     "'-', '_' or '.', not 'ocs west'"},
    {"UnknownService",
     "service: ocs",
     "service: osc",
     "gslb.yaml:29:14: $.steered[0].service: unknown service 'osc'; did you mean 'ocs'?"},
    {"SteeredOutsideEveryZone",
     "name: ocs.example.net",
     "name: ocs.example.org",
     "gslb.yaml:28:11: $.steered[0].name: name 'ocs.example.org.' lies in none of the zones "
     "example.net."},
    {"TtlMinAboveMax",
     "min: 5s",
     "min: 31s",
     "gslb.yaml:30:10: $.steered[0].ttl: min (31s) must not be above max (30s)"},
    {"TtlNotWholeSeconds",
     "min: 5s",
     "min: 1500ms",
     "gslb.yaml:30:16: $.steered[0].ttl.min: must be whole seconds, not 1500ms"},
    {"UnknownAllDown",
     "all_down: closed",
     "all_down: close",
     "gslb.yaml:31:15: $.steered[0].all_down: must be one of open, closed, not 'close'"},
    {"UnknownFilter",
     "override, up,",
     "override, upp,",
     "gslb.yaml:32:25: $.steered[0].filters[1]: unknown filter 'upp'; did you mean 'up'?"},
    {"UnknownFilterParameter",
     "{order: [west]}",
     "{odrer: [west]}",
     "gslb.yaml:32:74: $.steered[0].filters[3].failover: unknown key 'odrer'; did you mean 'order'?"
    },
    {"FilterOrderWithUnknownSite",
     "{order: [west]}",
     "{order: [vest]}",
     "gslb.yaml:32:82: $.steered[0].filters[3].failover.order[0]: unknown site 'vest'; did you "
     "mean 'west' or 'east'?"},
    {"ChainWithoutOverride",
     "[override, up,",
     "[up,",
     "gslb.yaml:32:14: $.steered[0].filters: the chain must begin with 'override', so that an "
     "operator's word always counts"},
    {"FilterWithTwoNames",
     "[override, up,",
     "[{override: {}, up: {}},",
     "gslb.yaml:32:15: $.steered[0].filters[0]: must be a filter's name, or a map of one filter "
     "and its parameters"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongConfigTest, testing::ValuesIn(kWrong), [](const auto& info) {
    return std::string(info.param.name);
});

}  // namespace
}  // namespace twinsite::gslb
