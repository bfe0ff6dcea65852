// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/dnstap.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "gslb/server/dnstap_frame.hpp"
#include "gslb/server/socket.hpp"
#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

namespace fs = std::filesystem;

DnstapMessage message_of(const tests::Bytes& bytes) {
    DnstapMessage out;
    out.identity = "n";
    out.version = "v";
    out.client = {*base::text::parse_ip("192.0.2.1"), 300};
    out.server = {*base::text::parse_ip("192.0.2.2"), 53};
    out.time_s = 5;
    out.time_ns = 6;
    out.bytes = bytes;
    return out;
}

TEST(DnstapFrame, IsTheProtocolBufferOfDnstap) {
    std::array<std::uint8_t, 256> out;
    const std::size_t size = encode_dnstap(out, message_of({0xaa, 0xbb}));
    const tests::Bytes expected{
        0x0a, 1,    'n',  0x12, 1,    'v',     // identity, version
        0x72, 0xa6, 0x80, 0x80, 0,             // message of 38 bytes, its length in four bytes
        0x08, 1,    0x10, 1,    0x18, 1,       // AUTH_QUERY, INET, UDP
        0x22, 4,    192,  0,    2,    1,       // query_address
        0x2a, 4,    192,  0,    2,    2,       // response_address
        0x30, 0xac, 2,    0x38, 53,            // ports
        0x40, 5,    0x4d, 6,    0,    0,   0,  // query_time
        0x52, 2,    0xaa, 0xbb,                // query_message
        0x78, 1                                // MESSAGE
    };
    const tests::Bytes got(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
    // The length of the message is what stands between it and the type.
    auto wanted = expected;
    wanted[7] = static_cast<std::uint8_t>(0x80 | (wanted.size() - 11 - 2));
    EXPECT_EQ(got, wanted);
}

TEST(DnstapFrame, NeverWritesBeyondItsRoom) {
    const tests::Bytes bytes(100);
    std::vector<std::uint8_t> room(500, 0x77);
    const std::size_t whole = encode_dnstap(room, message_of(bytes));
    ASSERT_GT(whole, 100u);
    for (std::size_t size = 0; size < whole; ++size) {
        std::vector<std::uint8_t> out(whole + 1, 0x77);
        EXPECT_EQ(encode_dnstap(std::span(out).first(size), message_of(bytes)), 0u) << size;
        EXPECT_EQ(out[size], 0x77) << size;
    }
}

TEST(Dnstap, WithoutAReaderNothingWaitsAndEveryFrameIsCounted) {
    auto dnstap = Dnstap::open("/nonexistent/dnstap.sock", "n", "v");
    ASSERT_TRUE(dnstap) << dnstap.error().message();
    auto tap = Dnstap::make_tap(*dnstap);
    ASSERT_TRUE(tap);
    tap->take_time();
    Counters counters;
    const auto query = query_of("a", "A", 1);
    constexpr int kQueries = 5000;
    for (int i = 0; i < kQueries; ++i)
        tap->copy(counters, {}, {}, answer::Transport::udp, query, query);
    EXPECT_EQ(counters.dnstap_dropped.value() + counters.dnstap_queued.value(), 2u * kQueries);
}

TEST(Dnstap, AQueueIsUsedAgainByTheNextThread) {
    auto dnstap = Dnstap::open("/nonexistent/dnstap.sock", "n", "v");
    ASSERT_TRUE(dnstap);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(Dnstap::make_tap(*dnstap)) << i;
}

}  // namespace
}  // namespace twinsite::gslb::server
