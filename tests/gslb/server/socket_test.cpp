// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/socket.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using base::net::Endpoint;
using base::text::parse_ip;

TEST(Socket, SeveralUdpSocketsShareAnAddress) {
    const auto first = open_udp(loopback());
    ASSERT_TRUE(first);
    const auto endpoint = local_endpoint(*first);
    ASSERT_TRUE(endpoint);
    EXPECT_NE(endpoint->port, 0);
    EXPECT_TRUE(open_udp(*endpoint));
}

TEST(Socket, ASecondTcpListenerAtAnAddressFails) {
    const auto first = open_tcp(loopback());
    ASSERT_TRUE(first);
    const auto second = open_tcp(*local_endpoint(*first));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message(), "Address already in use");
}

TEST(Socket, TheWildcardsOfBothFamiliesGoSideBySide) {
    const auto v4 = open_tcp({*parse_ip("0.0.0.0"), 0});
    ASSERT_TRUE(v4);
    EXPECT_TRUE(open_tcp({*parse_ip("::"), local_endpoint(*v4)->port}));
    EXPECT_TRUE(is_wildcard(*parse_ip("0.0.0.0")));
    EXPECT_TRUE(is_wildcard(*parse_ip("::")));
    EXPECT_FALSE(is_wildcard(*parse_ip("0.0.0.1")));
    EXPECT_FALSE(is_wildcard(*parse_ip("::1")));
}

TEST(Socket, UdpHasAllTheReceiveBufferThatTheSystemGives) {
    int allowed = 0;
    ASSERT_TRUE(std::ifstream("/proc/sys/net/core/rmem_max") >> allowed);
    const auto socket = open_udp(loopback());
    ASSERT_TRUE(socket);
    EXPECT_GE(receive_buffer_bytes(*socket), std::min(allowed, kReceiveBufferBytes));
}

}  // namespace
}  // namespace twinsite::gslb::server
