// SPDX-License-Identifier: Apache-2.0
#include "base/net/listen.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/net/asio.hpp"

namespace twinsite::base::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

Endpoint any_port(const char* address) {
    return {text::parse_ip(address).value(), 0};
}

TEST(ListenTcp, TakesAFreePortForPortZero) {
    asio::io_context io;
    for (const char* address : {"127.0.0.1", "::1"}) {
        const auto acceptor = listen_tcp(io.get_executor(), any_port(address));
        ASSERT_TRUE(acceptor) << address << acceptor.error().message();
        EXPECT_NE(acceptor->local_endpoint().port(), 0);
    }
}

TEST(ListenTcp, SaysThatAPortIsInUseOrAnAddressNotOurs) {
    asio::io_context io;
    const auto first = listen_tcp(io.get_executor(), any_port("127.0.0.1"));
    const auto at = from_asio(first->local_endpoint());
    EXPECT_EQ(listen_tcp(io.get_executor(), at).error(), asio::error::address_in_use);
    EXPECT_FALSE(listen_tcp(io.get_executor(), any_port("192.0.2.1")));
}

TEST(ListenTcp, ARestartNeedNotWaitForOldConnections) {
    asio::io_context io;
    auto first = listen_tcp(io.get_executor(), any_port("127.0.0.1"));
    const auto at = from_asio(first->local_endpoint());
    tcp::socket client(io);
    client.connect(to_tcp(at));
    auto served = first->accept();
    served.close();  // the side that closes first keeps TIME_WAIT on the port
    client.close();
    first->close();
    EXPECT_TRUE(listen_tcp(io.get_executor(), at));
}

TEST(ListenTcp, AnIpv6WildcardLeavesIpv4Alone) {
    asio::io_context io;
    const auto v6 = listen_tcp(io.get_executor(), any_port("::"));
    ASSERT_TRUE(v6);
    const Endpoint v4{text::parse_ip("0.0.0.0").value(), v6->local_endpoint().port()};
    EXPECT_TRUE(listen_tcp(io.get_executor(), v4));
}

}  // namespace
}  // namespace twinsite::base::net
