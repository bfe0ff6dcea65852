// SPDX-License-Identifier: Apache-2.0
#include "base/net/endpoint.hpp"

#include <sys/un.h>

#include <gtest/gtest.h>

#include "base/net/asio.hpp"
#include "base/net/endpoint_config.hpp"

namespace twinsite::base::net {
namespace {

TEST(Endpoint, ReadsAndWritesBothFamilies) {
    for (const char* text :
         {"1.2.3.4:53",
          "0.0.0.0:0",
          "255.255.255.255:65535",
          "[::1]:53",
          "[2001:db8::1]:3868",
          "[::]:0"}) {
        const auto endpoint = parse_endpoint(text);
        ASSERT_TRUE(endpoint) << text;
        EXPECT_EQ(to_string(*endpoint), text);
    }
    EXPECT_EQ(parse_endpoint("1.2.3.4:53")->port, 53);
}

TEST(Endpoint, RefusesEverythingElse) {
    for (const char* text : {"",
                             ":",
                             "1.2.3.4",
                             "1.2.3.4:",
                             ":53",
                             "1.2.3.4:65536",
                             "1.2.3.4:-1",
                             "1.2.3.4:+1",
                             "1.2.3.4:5 3",
                             "1.2.3:53",
                             "name:53",
                             "::1:53",
                             "2001:db8::1:53",
                             "[1.2.3.4]:53",
                             "[::1]",
                             "[::1]53",
                             "[]:53",
                             "[::1:53",
                             "::1]:53",
                             " 1.2.3.4:53",
                             "1.2.3.4:53 "})
        EXPECT_EQ(parse_endpoint(text), std::nullopt) << text;
}

TEST(Endpoint, AMappedAddressIsIpv4) {
    EXPECT_EQ(to_string(parse_endpoint("[::ffff:1.2.3.4]:53").value()), "1.2.3.4:53");
}

TEST(Endpoint, RoundTripsThroughSocketAddressesAndAsio) {
    for (const char* text : {"1.2.3.4:53", "[2001:db8::1]:3868", "127.0.0.1:0"}) {
        const auto endpoint = parse_endpoint(text).value();
        const auto address = to_socket_address(endpoint);
        EXPECT_EQ(from_socket_address(address), endpoint);
        EXPECT_EQ(from_asio(to_tcp(endpoint)), endpoint);
        EXPECT_EQ(from_asio(to_udp(endpoint)), endpoint);
        EXPECT_EQ(to_tcp(endpoint).size(), address.size);
    }
}

TEST(Endpoint, OtherSocketAddressesAreNone) {
    SocketAddress local;
    local.storage.ss_family = AF_UNIX;
    local.size = sizeof(sockaddr_un);
    EXPECT_EQ(from_socket_address(local), std::nullopt);
    auto cut = to_socket_address({});
    cut.size = 4;
    EXPECT_EQ(from_socket_address(cut), std::nullopt);
}

TEST(Endpoint, OrdersByAddressThenPort) {
    EXPECT_LT(parse_endpoint("1.2.3.4:9").value(), parse_endpoint("1.2.3.5:1").value());
    EXPECT_LT(parse_endpoint("1.2.3.4:1").value(), parse_endpoint("1.2.3.4:9").value());
}

TEST(Endpoint, IsAValueOfConfigurationFiles) {
    const auto good = config::Document::parse("listen: \"[::1]:53\"\n", "a.yaml");
    auto root = good.root();
    EXPECT_EQ(to_string(root.required<Endpoint>("listen")), "[::1]:53");
    const auto bad = config::Document::parse("listen: 1.2.3.4\n", "a.yaml");
    auto wrong = bad.root();
    wrong.required<Endpoint>("listen");
    ASSERT_EQ(bad.findings().size(), 1u);
    EXPECT_NE(bad.findings()[0].text.find("an address with its port"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::base::net
