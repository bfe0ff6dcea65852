// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/config_fixture.hpp"

namespace twinsite::gslb {
namespace {

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
    const auto& http = std::get<probe::HttpAsk>(ready.ask);
    EXPECT_EQ(ready.port, 8440);
    EXPECT_EQ(http.path, "/readyz");
    EXPECT_EQ(http.host, "slb");
    EXPECT_EQ(http.expect_status, (std::vector<unsigned>{200, 204}));
    EXPECT_EQ(ready.interval, seconds(1));
    EXPECT_EQ(ready.timeout, milliseconds(400));
    EXPECT_EQ(ready.thresholds, (health::Thresholds{2, 3, 4, {}}));
    const auto& port = config_.checks[1];
    EXPECT_EQ(port.interval, seconds(10));
    EXPECT_EQ(port.timeout, seconds(5));
    EXPECT_EQ(port.thresholds, (health::Thresholds{20, 10, 10, {}}));
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
    put("zones:\n",
        "tsig_keys: [{name: k, algorithm: hmac-sha256, secret_file: s}]\nzones:\n"
        "  - {name: a.example, primaries: [{address: 127.0.0.1:53, tsig: k}], transfer: {"
        "allow: [{net: 127.0.0.0/8, tsig: k}], notify: [{address: 127.0.0.1:53, tsig: k}], "
        "journal_bytes: 1}}\n");
    text += "health: {own_link: [{check: port, address: 192.0.2.1}]}\n";
    text += "edns: {}\nidentity: {}\nrate_limit: {}\nquery_log: {}\ndnstap: {}\n";
    for (const auto* type :
         {"tls, port: 1", "https, port: 1", "dns", "diameter", "radius", "icmp", "external", "push"
         })
        put("checks:\n", "checks:\n  - {name: x, type: " + std::string(type) + "}\n");
    put("{name: example.net, file: example.net.zone}",
        "{name: example.net, file: example.net.zone, dnssec: {keys: k}}");
    put("sites: [east, west]\n",
        "group: {listen: 127.0.1.10:7700, tls: {certificate: a, key: b, ca: c, crl: d}, "
        "signing: {certificate: a, key: b}, peers: [{name: w, address: 127.0.2.10:7700}]}\n"
        "sites: [east, west]\n");
    put("networks:\n",
        "networks:\n  file: networks.txt\n  resolvers: [{prefix: 192.0.2.1/32, sites: [east]}]\n"
        "  geo: {database: a.mmdb, rules: [{asn: 1, sites: [east]}], coordinates: [{site: east}]}\n"
    );
    put("override, up,",
        "override, up, weighted: {pick: one}, sticky: {group: g}, first: 2, depends: {facts: "
        "[{name: "
        "a, min: 1}], services: [ocs]},");
    put("weight: 3,", "weight: 3, records: [{type: HTTPS, data: 1 ., hints: true}],");
    put("  - name: ocs\n", "  - name: ocs\n    load: {low: 60}\n");
    put("all_down: closed", "all_down: last_resort\n    last_resort: {addresses: [192.0.2.9]}");
    auto asked = parse(text).asked();
    // "override" and "up" are asked as keys only when they stand as maps: they have no parameters.
    const auto page = keys_of_the_page();
    for (const auto& key : asked) EXPECT_TRUE(page.contains(key)) << "not on the page: " << key;
    for (const auto& key : page) EXPECT_TRUE(asked.contains(key)) << "never asked: " << key;
}

TEST_F(ConfigTest, ReadsEveryTypeOfCheck) {
    std::ofstream(folder_ / "secret") << "x";
    std::string text = kGood;
    const std::string head = "checks:\n";
    text.replace(text.find(head), head.size(), R"(checks:
  - {name: c0, type: tls, port: 443, server_name: a.example, minimum_days: 14, verify: false}
  - {name: c1, type: https, port: 443, path: /x, expect_body: ok, body_bytes: 100, server_name: b.example, hold_down: 1m}
  - {name: c2, type: dns, query: example.net, record: SOA, expect_rcode: [NOERROR, NXDOMAIN], recursion: true}
  - {name: c3, type: diameter, origin_host: g.example, origin_realm: example, expect_result: [2001, 3004]}
  - {name: c4, type: radius, secret_file: secret, demand_authenticator: true}
  - {name: c5, type: icmp, interval: 1s}
  - {name: c6, type: external, command: [/bin/true, a b]}
  - {name: c7, type: push, interval: 5s}
)");
    text +=
        "health: {parallel: 7, quorum: any, witnesses: [hub/w], own_link: [{check: c5, address: "
        "192.0.2.1}]}\n";
    text.replace(text.find("  - name: ocs\n"), 14, "  - name: ocs\n    quorum: 2\n");
    // In a file of our own, which nobody else can change: it names a program.
    const auto file = folder_ / "every.yaml";
    std::ofstream(file) << text;
    const auto document = base::config::Document::load(file);
    const auto config = parse_config(document.root());
    for (const auto& finding : document.findings()) ADD_FAILURE() << to_string(finding);
    ASSERT_EQ(config.checks.size(), 10U);
    const auto& tls = std::get<probe::TlsAsk>(config.checks[0].ask);
    EXPECT_EQ(tls, (probe::TlsAsk{"a.example", "", false, 14}));
    const auto& https = std::get<probe::HttpAsk>(config.checks[1].ask);
    EXPECT_EQ(https.tls->server_name, "b.example");
    EXPECT_EQ(https.body_bytes, 100U);
    EXPECT_EQ(config.checks[1].thresholds.hold_down, std::chrono::minutes(1));
    const auto& dns = std::get<probe::DnsAsk>(config.checks[2].ask);
    EXPECT_EQ(dns, (probe::DnsAsk{"example.net.", 6, {0, 3}, {}, true}));
    EXPECT_EQ(config.checks[2].port, 53);
    const auto& diameter = std::get<probe::DiameterAsk>(config.checks[3].ask);
    EXPECT_EQ(diameter, (probe::DiameterAsk{"g.example", "example", {4}, {2001, 3004}}));
    EXPECT_EQ(config.checks[3].port, 3868);
    EXPECT_TRUE(std::get<probe::RadiusAsk>(config.checks[4].ask).demand_authenticator);
    EXPECT_EQ(config.checks[5].port, 0);
    const auto& external = std::get<probe::ExternalAsk>(config.checks[6].ask);
    EXPECT_EQ(external.command, (std::vector<std::string>{"/bin/true", "a b"}));
    EXPECT_EQ(std::get<probe::PushAsk>(config.checks[7].ask).name, "c7");
    EXPECT_EQ(config.health.parallel, 7U);
    EXPECT_EQ(to_string(config.health.quorum), "any");
    EXPECT_EQ(to_string(config.quorums.at(0).value()), "2");
    ASSERT_EQ(config.health.own_link.size(), 1U);
    EXPECT_EQ(config.health.own_link[0].check, 5U);
}

TEST_F(ConfigTest, RunsProgramsOnlyFromAFileThatNobodyElseCanChange) {
    std::string text = kGood;
    const std::string head = "checks:\n";
    text.replace(
        text.find(head), head.size(), head + "  - {name: x, type: external, command: [/bin/true]}\n"
    );
    const auto file = folder_ / "open.yaml";
    std::ofstream(file) << text;
    fs::permissions(file, fs::perms(0666));
    const auto document = base::config::Document::load(file);
    parse_config(document.root());
    ASSERT_EQ(document.findings().size(), 1U);
    EXPECT_NE(
        to_string(document.findings()[0]).find("nobody else can change: can be written to by"),
        std::string::npos
    );
}

TEST_F(ConfigTest, ReadsSteeringOfAllKinds) {
    std::string text = kGood;
    text.replace(
        text.find("  prefixes:"), 11, R"(  resolvers: [{prefix: 192.0.2.1/32, sites: [west]}]
  geo:
    database: city.mmdb
    owners: asn.mmdb
    nearest: 1
    rules: [{continent: EU, country: DE, subdivision: BY, city: Ulm, asn: 64500, sites: [west]}]
    coordinates: [{site: east, latitude: 52.5, longitude: -13.4, bias: -20}]
  prefixes:)"
    );
    text.replace(text.find("steered:"), 8, R"(  - name: dra
    load: {low: 50, high: 80, step: 20, period: 5s}
    targets:
      - name: dra-east
        site: east
        records: [{type: SRV, data: 10 50 3868 dra1.example.net.}, {type: TXT, data: '"a b" c'}]
        check_addresses: [127.0.1.21]
      - {name: dra-west, site: west, addresses: [127.0.2.21], records: [{type: HTTPS, data: 1 . alpn=h2, hints: true}]}
  - name: cdn
    targets: [{name: cdn1, site: east, cname: cdn.example.com}]
steered:
  - name: example.net
    alias: dra.example.net
  - name: dra.example.net
    service: dra
    client_subnet: false
    all_down: last_resort
    last_resort: {cname: sorry.example.org}
    filters:
      - override
      - depends: {facts: [{name: db.success_rate, min: 99.5, max: 100}], services: [ocs]}
      - up
      - nearest
      - load
      - failover: {fail_back: delayed, delay: 5m}
      - sticky: {group: g, ipv4_bits: 20, ipv6_bits: 48}
  - name: cdn.example.net
    service: cdn
    all_down: last_known
    filters: [override, up, rotate, first: 2])");
    ASSERT_EQ(findings_of(text), "");
    EXPECT_EQ(config_.resolvers.size(), 1U);
    EXPECT_EQ(config_.geo.database, folder_ / "city.mmdb");
    EXPECT_EQ(config_.geo.owners, folder_ / "asn.mmdb");
    EXPECT_EQ(config_.geo.rules.nearest, 1U);
    ASSERT_EQ(config_.geo.rules.rules.size(), 1U);
    EXPECT_EQ(config_.geo.rules.rules[0].asn, 64500U);
    ASSERT_EQ(config_.geo.rules.sites.size(), 1U);
    EXPECT_EQ(config_.geo.rules.sites[0].at.longitude, -13.4);
    EXPECT_EQ(config_.geo.rules.sites[0].bias, -20);
    const auto& steering = config_.steering;
    const auto& dra = steering.services[1];
    EXPECT_EQ(dra.load, (steering::LoadLimits{50, 80, 200, seconds(5)}));
    ASSERT_EQ(dra.targets[0].records.size(), 2U);
    EXPECT_EQ(dra.targets[0].records[0].rdata[5], 0x1c) << "port 3868 is 0x0f1c";
    EXPECT_EQ(dra.targets[0].records[1].rdata.size(), 6U) << "two strings";
    EXPECT_EQ(dra.targets[0].check_addresses.size(), 1U);
    EXPECT_TRUE(dra.targets[1].records[0].hints);
    EXPECT_EQ(steering.services[2].targets[0].records[0].type, 5);
    const auto& apex = steering.policies[0];
    EXPECT_EQ(apex.owner, "example.net.");
    EXPECT_EQ(apex.alias_of, "dra.example.net.");
    EXPECT_EQ(apex.types, (std::vector<std::uint16_t>{1, 28, 65})) << "no SRV, no TXT";
    const auto& policy = steering.policies[1];
    EXPECT_EQ(apex.filters, policy.filters);
    EXPECT_FALSE(policy.use_client_subnet);
    EXPECT_EQ(policy.all_down, steering::AllDown::last_resort);
    EXPECT_EQ(policy.last_resort.records.size(), 1U);
    ASSERT_EQ(policy.filters.size(), 7U);
    EXPECT_EQ(policy.filters[1].dependencies.size(), 2U);
    EXPECT_EQ(policy.filters[1].dependencies[0].least, 99.5);
    EXPECT_EQ(policy.filters[5].fail_back, steering::FailBack::delayed);
    EXPECT_EQ(policy.filters[5].delay, seconds(300));
    EXPECT_EQ(policy.filters[6].bits_v4, 20);
    EXPECT_EQ(steering.policies[2].filters[3].count, 2U);
}

TEST_F(ConfigTest, WrongSteeringIsExplained) {
    const auto finding = [&](const std::string& old, const std::string& fresh) {
        std::string text = kGood;
        EXPECT_NE(text.find(old), std::string::npos);
        text.replace(text.find(old), old.size(), fresh);
        const auto all = findings_of(text);
        const auto at = all.find(": $");
        return at == std::string::npos ? all : all.substr(at + 2, all.find('\n') - at - 2);
    };
    const std::string west = "{name: ocs-west, site: west, addresses: [127.0.2.20]}";
    EXPECT_EQ(
        finding(west, "{name: w, site: west, cname: x.example}"),
        "$.services[0].targets: either all targets of a service have 'cname', or none"
    );
    EXPECT_EQ(
        finding(west, "{name: w, site: west, cname: x.example, addresses: [127.0.2.20]}"),
        "$.services[0].targets[1]: 'cname' excludes 'addresses' and 'records': it answers every "
        "type"
    );
    EXPECT_EQ(
        finding(west, "{name: w, site: west}"),
        "$.services[0].targets[1]: key 'addresses' is missing"
    );
    EXPECT_EQ(
        finding("weight: 3,", "records: [{type: SRV, data: 10 50 3868 a b}],").substr(0, 47),
        "$.services[0].targets[0].records[0].data: SRV r"
    );
    EXPECT_EQ(
        finding("weight: 3,", "records: [{type: TXT, data: a, hints: true}],"),
        "$.services[0].targets[0].records[0].hints: only records of type SVCB and HTTPS have hints"
    );
    EXPECT_EQ(
        finding("all_down: closed", "all_down: last_resort"),
        "$.steered[0]: key 'last_resort' is missing"
    );
    EXPECT_EQ(
        finding("failover: {order: [west]}", "failover: {fail_back: delayed}"),
        "$.steered[0].filters[3].failover: key 'delay' is missing"
    );
    EXPECT_EQ(
        finding("failover: {order: [west]}", "failover: {delay: 5s}"),
        "$.steered[0].filters[3].failover.delay: needs fail_back: delayed"
    );
    EXPECT_EQ(
        finding("override, up,", "override, depends, up,"),
        "$.steered[0].filters[1]: needs 'facts' or 'services'"
    );
    EXPECT_EQ(
        finding("steered:\n", "steered:\n  - {name: example.net, alias: x.example.net}\n"),
        "$.steered[0].alias: 'x.example.net.' is not a steered name"
    );
    EXPECT_EQ(
        finding("  prefixes:", "  geo: {database: a}\n  prefixes:"),
        "$.networks.geo: must have 'rules', 'coordinates' or both"
    );
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

}  // namespace
}  // namespace twinsite::gslb
