// SPDX-License-Identifier: Apache-2.0
#include "probe/icmp.hpp"

#include <array>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/loop.hpp"
#include "wire/icmp/echo.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;

Outcome run(const char* address, std::chrono::milliseconds limit) {
    IcmpProbe probe({{base::text::parse_ip(address).value(), 0}}, {});
    boost::asio::io_context io;
    return tests::run_to_end(io, probe.run(limit));
}

/// Whether the system lets this test ping at all.
bool may_ping() {
    for (const int type : {SOCK_DGRAM, SOCK_RAW}) {
        const int fd = ::socket(AF_INET, type, IPPROTO_ICMP);
        if (fd >= 0) ::close(fd);
        if (fd >= 0) return true;
    }
    return false;
}

TEST(IcmpProbe, HearsTheEchoOfAnAddressThatIsThere) {
    const auto outcome = run("127.0.0.1", 5s);
    if (may_ping()) {
        EXPECT_TRUE(outcome.ok) << outcome.error;
    } else {
        EXPECT_TRUE(outcome.local_fault);
        EXPECT_NE(outcome.error.find("not permitted"), std::string::npos);
    }
}

TEST(IcmpProbe, ManyAtATimeEachHearTheirOwn) {
    if (!may_ping()) GTEST_SKIP() << "no ping sockets here";
    boost::asio::io_context io;
    std::vector<std::unique_ptr<IcmpProbe>> probes;
    int good = 0;
    for (int i = 0; i < 20; ++i) {
        const auto address = base::text::IpAddress::from_v4(0x7F000001U + static_cast<unsigned>(i));
        probes.push_back(std::make_unique<IcmpProbe>(Place{{address, 0}}, IcmpAsk{}));
        boost::asio::co_spawn(
            io,
            probes.back()->run(5s),
            [&](const std::exception_ptr&, const Outcome& outcome) { good += outcome.ok; }
        );
    }
    io.run();
    EXPECT_EQ(good, 20);
}

TEST(Echo, RequestAndReplyOfAnExample) {
    const std::array<std::uint8_t, 4> payload{'p', 'i', 'n', 'g'};
    auto message = wire::icmp::echo_request(base::text::Family::v4, {0x1234, 7, payload});
    EXPECT_EQ(wire::icmp::checksum(message), 0);
    EXPECT_FALSE(wire::icmp::decode_echo_reply(base::text::Family::v4, message)) << "a request";
    message[0] = 0;  // the type of a reply; the checksum changes by that much
    message[2] = static_cast<std::uint8_t>(message[2] + 8);
    const auto echo = wire::icmp::decode_echo_reply(base::text::Family::v4, message);
    ASSERT_TRUE(echo);
    EXPECT_EQ(echo->identifier, 0x1234);
    EXPECT_EQ(echo->sequence, 7);
    EXPECT_TRUE(std::equal(payload.begin(), payload.end(), echo->payload.begin()));
    message[9] ^= 1;
    EXPECT_FALSE(wire::icmp::decode_echo_reply(base::text::Family::v4, message)) << "checksum";
}

TEST(Echo, StripsOnlyAWholeIpHeader) {
    std::vector<std::uint8_t> datagram(24);
    datagram[0] = 0x46;  // version 4, six words
    EXPECT_EQ(wire::icmp::strip_ipv4_header(datagram).size(), 0U);
    datagram.push_back(9);
    EXPECT_EQ(wire::icmp::strip_ipv4_header(datagram).size(), 1U);
    datagram[0] = 0x44;
    EXPECT_TRUE(wire::icmp::strip_ipv4_header(datagram).empty())
        << "header shorter than five words";
    datagram[0] = 0x65;
    EXPECT_TRUE(wire::icmp::strip_ipv4_header(datagram).empty()) << "version 6";
    datagram[0] = 0x4F;
    EXPECT_TRUE(wire::icmp::strip_ipv4_header(datagram).empty()) << "longer than it all";
}

}  // namespace
}  // namespace twinsite::probe
