// SPDX-License-Identifier: Apache-2.0
#include "probe/charging.hpp"

#include <gtest/gtest.h>

#include "probe/dns.hpp"
#include "tests/probe/fake_charger.hpp"
#include "tests/probe/listener.hpp"
#include "tests/support/fake_name_server.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using tests::FakeCharger;

constexpr std::uint32_t kLoopback = 0x7F000001;
constexpr std::uint8_t kNameError = 3;

ChargingProbe::Settings settings(
    const tests::FakeNameServer& names, std::uint16_t port, std::string host = "probe.example.net"
) {
    ChargingProbe::Settings out;
    out.question = "ocs.example.net";
    out.servers = {names.at()};
    out.port = port;
    out.origin_host = std::move(host);
    out.origin_realm = "example.net";
    out.destination_realm = "example.net";
    return out;
}

TEST(ChargingProbe, A2001IsGoodAndNothingIsLeftBehind) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({});
    ChargingProbe probe(settings(names, charger.port()), 1);
    for (int run = 1; run <= 3; ++run) {
        const auto outcome = tests::run_to_end(io, probe.run(5s));
        EXPECT_TRUE(outcome.ok) << outcome.error;
        EXPECT_EQ(
            outcome.note, "b1.east.example.net through 127.0.0.1:" + std::to_string(charger.port())
        );
        EXPECT_EQ(charger.initials(), run);
        EXPECT_EQ(charger.terminations(), run);
        EXPECT_EQ(charger.polite_ends(), run);
    }
}

TEST(ChargingProbe, AnyOtherResultIsBadAndNamed) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({.result_code = 5012});
    ChargingProbe probe(settings(names, charger.port()), 1);
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "Result-Code 5012");
}

TEST(ChargingProbe, ARefusedLinkIsBadAndTheCodeIsNamed) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({.admit = 3010});
    ChargingProbe probe(settings(names, charger.port()), 1);
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "link refused with 3010");
    EXPECT_EQ(charger.initials(), 0);
}

TEST(ChargingProbe, SilenceIsBadAtTheLimit) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({.silent = true});
    ChargingProbe probe(settings(names, charger.port()), 1);
    const auto outcome = tests::run_to_end(io, probe.run(200ms));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "timed out");
    EXPECT_GE(outcome.latency, 150ms);
    EXPECT_EQ(outcome.note, "127.0.0.1:" + std::to_string(charger.port()));
}

TEST(ChargingProbe, AHangUpIsBad) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({.hang_up = true});
    ChargingProbe probe(settings(names, charger.port()), 1);
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_NE(outcome.error, "");
}

TEST(ChargingProbe, AClosedPortIsBad) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback});
    ChargingProbe probe(settings(names, closed_port().port), 1);
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "connection refused");
}

TEST(ChargingProbe, ANameThatDoesNotExistIsBad) {
    asio::io_context io;
    tests::FakeNameServer names(io, kNameError, {});
    ChargingProbe probe(settings(names, closed_port().port), 1);
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(outcome.error.starts_with("name not resolved: ")) << outcome.error;
}

TEST(ChargingProbe, ASilentNameServerLeavesTimeForTheNext) {
    asio::io_context io;
    tests::FakeNameServer silent(io, 0, {kLoopback});
    silent.be_silent();
    tests::FakeNameServer names(io, 0, {kLoopback});
    FakeCharger charger({});
    auto with_two = settings(silent, charger.port());
    with_two.servers.push_back(names.at());
    ChargingProbe probe(with_two, 1);
    const auto outcome = tests::run_to_end(io, probe.run(3s));
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_GE(silent.queries(), 1);
}

TEST(DnsProbe, AnAddressIsGoodAndNoted) {
    asio::io_context io;
    tests::FakeNameServer names(io, 0, {kLoopback, 0x7F000002});
    DnsProbe probe({names.at(), base::text::IpAddress::from_v4(0x7F00090C), "ocs.example.net"});
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_EQ(outcome.note, "127.0.0.1 127.0.0.2");
    EXPECT_EQ(names.last_client(), "127.0.9.12");
}

TEST(DnsProbe, SilenceAndErrorsAreBad) {
    asio::io_context io;
    tests::FakeNameServer silent(io, 0, {kLoopback});
    silent.be_silent();
    DnsProbe unanswered({silent.at(), std::nullopt, "ocs.example.net"});
    EXPECT_FALSE(tests::run_to_end(io, unanswered.run(100ms)).ok);
    tests::FakeNameServer refusing(io, kNameError, {});
    DnsProbe refused({refusing.at(), std::nullopt, "ocs.example.net"});
    EXPECT_FALSE(tests::run_to_end(io, refused.run(5s)).ok);
}

}  // namespace
}  // namespace twinsite::probe
