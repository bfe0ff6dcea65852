// SPDX-License-Identifier: Apache-2.0
#include "gslb/config_server.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::gslb {
namespace {

struct Parsed {
    ServerConfig config;
    std::string findings;
};

Parsed parse(const std::string& text) {
    const auto document = base::config::Document::parse(text, "x.yaml");
    Parsed out{parse_server(document.root(), 1400), ""};
    for (const auto& finding : document.findings()) out.findings += to_string(finding) + "\n";
    return out;
}

TEST(ConfigServer, HasDefaults) {
    const auto [config, findings] = parse("{}");
    EXPECT_EQ(findings, "");
    EXPECT_EQ(config.ipv4_payload_bytes, 1400);
    EXPECT_EQ(config.ipv6_payload_bytes, 1400);
    EXPECT_TRUE(config.cookies);
    EXPECT_TRUE(config.extended_errors);
    EXPECT_EQ(config.nsid, "");
    EXPECT_EQ(config.rate_limit.per_second, 0u);
    EXPECT_EQ(config.logged_queries, 1024u);
    EXPECT_EQ(config.dnstap_socket, "");
}

TEST(ConfigServer, ReadsEveryKey) {
    const auto [config, findings] = parse(R"(
edns: {ipv4_payload_bytes: 1432, ipv6_payload_bytes: 1232, cookies: false, extended_errors: false}
identity: {nsid: ns1, version: "name server", id: east-1}
rate_limit: {responses_per_second: 50, slip: 3, ipv4_prefix: 32, ipv6_prefix: 64, table_entries: 2048}
query_log: {entries: 16}
dnstap: {socket: /run/dnstap.sock}
)");
    EXPECT_EQ(findings, "");
    EXPECT_EQ(config.ipv4_payload_bytes, 1432);
    EXPECT_EQ(config.ipv6_payload_bytes, 1232);
    EXPECT_FALSE(config.cookies);
    EXPECT_FALSE(config.extended_errors);
    EXPECT_EQ(config.nsid, "ns1");
    EXPECT_EQ(config.chaos_version, "name server");
    EXPECT_EQ(config.chaos_id, "east-1");
    EXPECT_EQ(config.rate_limit.per_second, 50u);
    EXPECT_EQ(config.rate_limit.slip, 3u);
    EXPECT_EQ(config.rate_limit.ipv4_prefix, 32u);
    EXPECT_EQ(config.rate_limit.ipv6_prefix, 64u);
    EXPECT_EQ(config.rate_limit.table_entries, 2048u);
    EXPECT_EQ(config.logged_queries, 16u);
    EXPECT_EQ(config.dnstap_socket, "/run/dnstap.sock");
}

TEST(ConfigServer, NamesWhatIsWrong) {
    EXPECT_EQ(
        parse("edns: {ipv4_payload_bytes: 100}").findings,
        "x.yaml:1:28: $.edns.ipv4_payload_bytes: must be between 512 and 4096, not 100\n"
    );
    EXPECT_EQ(
        parse("identity: {nsid: " + std::string(129, 'x') + "}").findings,
        "x.yaml:1:18: $.identity.nsid: must have 1 to 128 bytes\n"
    );
    EXPECT_EQ(
        parse("rate_limit: {}").findings,
        "x.yaml:1:13: $.rate_limit: key 'responses_per_second' is missing\n"
    );
    EXPECT_EQ(
        parse("dnstap: {socket: \"\"}").findings,
        "x.yaml:1:18: $.dnstap.socket: must not be empty\n"
    );
    EXPECT_NE(parse("query_log: {entires: 1}").findings.find("unknown key"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::gslb
