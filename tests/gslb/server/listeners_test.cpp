// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/listeners.hpp"

#include <sys/socket.h>

#include <gtest/gtest.h>

#include "gslb/server/publisher.hpp"
#include "gslb/server/socket.hpp"
#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

using base::net::Endpoint;

ListenSettings on(std::vector<Endpoint> addresses, unsigned workers = 1) {
    ListenSettings out;
    out.addresses = std::move(addresses);
    out.workers = workers;
    return out;
}

bool answers(const Endpoint& server) {
    Client udp(server, SOCK_DGRAM);
    udp.send(query_of("a", "A", 1));
    Client tcp(server, SOCK_STREAM);
    tcp.send(framed(query_of("a", "A", 2)));
    return !udp.receive().empty() && !tcp.receive_message().empty();
}

class ListenersTest : public testing::Test {
protected:
    Publisher publisher_{make_snapshot(1)};
    Listeners listeners_{publisher_};
};

TEST_F(ListenersTest, ServeUdpAndTcpOnOnePort) {
    ASSERT_EQ(
        listeners_.apply(on({loopback(), {*base::text::parse_ip("::1"), 0}}, 2)), std::nullopt
    );
    ASSERT_EQ(listeners_.addresses().size(), 2u);
    for (const Endpoint& address : listeners_.addresses()) EXPECT_TRUE(answers(address));
    EXPECT_EQ(value_of(listeners_.totals(), "udp"), 2u);
    EXPECT_EQ(value_of(listeners_.totals(), "tcp"), 2u);
    EXPECT_EQ(value_of(listeners_.totals(), "noerror"), 4u);
}

TEST_F(ListenersTest, ApplyingTheSameKeepsSocketsAndConnections) {
    ASSERT_EQ(listeners_.apply(on({loopback()})), std::nullopt);
    const Endpoint address = listeners_.addresses().at(0);
    Client connection(address, SOCK_STREAM);
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(listeners_.apply(on({loopback()}, 1 + i % 3)), std::nullopt);
        ASSERT_EQ(listeners_.addresses().at(0), address);
        ASSERT_TRUE(answers(address));
        connection.send(framed(query_of("a", "A", 3)));
        ASSERT_EQ(id_of(connection.receive_message()), 3);
    }
}

TEST_F(ListenersTest, AddressesComeAndGo) {
    const Endpoint first{*base::text::parse_ip("127.0.0.1"), 0};
    const Endpoint second{*base::text::parse_ip("127.0.0.2"), 0};
    ASSERT_EQ(listeners_.apply(on({first})), std::nullopt);
    const Endpoint old = listeners_.addresses().at(0);
    ASSERT_EQ(listeners_.apply(on({second, first})), std::nullopt);
    EXPECT_EQ(listeners_.addresses().at(1), old);
    EXPECT_TRUE(answers(listeners_.addresses().at(0)));
    EXPECT_TRUE(answers(old));
    ASSERT_EQ(listeners_.apply(on({second})), std::nullopt);
    EXPECT_THROW(Client(old, SOCK_STREAM), std::runtime_error);
    EXPECT_TRUE(answers(listeners_.addresses().at(0)));
    EXPECT_EQ(value_of(listeners_.totals(), "noerror"), 6u) << "counts outlive their workers";
}

TEST_F(ListenersTest, AFailureLeavesEverythingAsItWas) {
    ASSERT_EQ(listeners_.apply(on({loopback()})), std::nullopt);
    const Endpoint address = listeners_.addresses().at(0);
    const auto taken = open_tcp({*base::text::parse_ip("127.0.0.3"), 0});
    ASSERT_TRUE(taken);
    const Endpoint occupied = *local_endpoint(*taken);
    EXPECT_EQ(
        listeners_.apply(on({{*base::text::parse_ip("127.0.0.4"), 0}, occupied})),
        "cannot listen on " + to_string(occupied) + "/tcp: Address already in use"
    );
    EXPECT_EQ(
        listeners_.apply(on({{*base::text::parse_ip("192.0.2.1"), 53}})),
        "cannot listen on 192.0.2.1:53/tcp: Cannot assign requested address"
    );
    EXPECT_EQ(listeners_.addresses(), (std::vector<Endpoint>{address}));
    EXPECT_TRUE(answers(address));
}

TEST_F(ListenersTest, MoreWorkersThanThereArePlacesAreRefused) {
    std::vector<Endpoint> many(10, loopback());
    EXPECT_EQ(listeners_.apply(on(many, 64)), "640 UDP workers; at most 511 are possible");
}

TEST_F(ListenersTest, CountersHaveNamesBeforeAnythingIsServed) {
    EXPECT_EQ(value_of(listeners_.totals(), "udp"), 0u);
    ASSERT_EQ(listeners_.apply(on({loopback()})), std::nullopt);
    EXPECT_TRUE(answers(listeners_.addresses().at(0)));
    listeners_.stop();
    EXPECT_EQ(value_of(listeners_.totals(), "noerror"), 2u);
    EXPECT_TRUE(listeners_.addresses().empty());
    listeners_.stop();
}

}  // namespace
}  // namespace twinsite::gslb::server
