// SPDX-License-Identifier: Apache-2.0
#include "probe/diameter.hpp"

#include <gtest/gtest.h>

#include "tests/probe/fake_charger.hpp"
#include "tests/probe/listener.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;

Outcome run(std::uint16_t port, const DiameterAsk& ask, std::chrono::milliseconds limit = 5s) {
    DiameterProbe probe({{base::text::IpAddress::from_v4(0x7F000001), port}}, ask);
    boost::asio::io_context io;
    return tests::run_to_end(io, probe.run(limit));
}

DiameterAsk ask() {
    DiameterAsk out;
    out.origin_host = "gslb-1.example.net";
    out.origin_realm = "example.net";
    return out;
}

TEST(DiameterProbe, IsAnsweredToCerAndDwrAndLeavesPolitely) {
    tests::FakeCharger charger({});
    const auto outcome = run(charger.port(), ask());
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_EQ(outcome.note, "b1.east.example.net");
    EXPECT_EQ(charger.polite_ends(), 1);
    EXPECT_EQ(charger.initials(), 0) << "it charges nobody";
}

TEST(DiameterProbe, ARefusedLinkIsBadUnlessExpected) {
    tests::FakeCharger charger({.admit = 3010});
    EXPECT_EQ(run(charger.port(), ask()).error, "CEA with Result-Code 3010");
    auto no_application = ask();
    no_application.applications = {16777251};
    tests::FakeCharger other({.admit = 5010});
    EXPECT_EQ(run(other.port(), no_application).error, "CEA with Result-Code 5010");
}

TEST(DiameterProbe, SilenceAndNonsenseAreBad) {
    SilentListener silent;
    EXPECT_EQ(run(silent.at().port, ask(), 50ms).error, "timed out");
    EXPECT_EQ(run(closed_port().port, ask()).error, "connection refused");
}

}  // namespace
}  // namespace twinsite::probe
