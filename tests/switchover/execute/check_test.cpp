// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <gtest/gtest.h>

#include "base/net/asio.hpp"
#include "tests/switchover/execute/fake_members.hpp"
#include "wire/dns/query.hpp"

namespace twinsite::switchover::execute {
namespace {

using namespace std::chrono_literals;
using Outcome = scenario::Event::Outcome;
using boost::asio::ip::udp;

base::text::IpAddress ip(const char* text) {
    return *base::text::parse_ip(text);
}

/// A name server that answers clients of 127.10.1.0/24 with `for_east` and all others with
/// `for_west`.
class NameServer {
public:
    explicit NameServer(boost::asio::io_context& io)
        : socket_(io, udp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
        receive();
    }
    std::string for_east = "127.0.2.20";
    std::string for_west = "127.0.2.20";
    bool silent = false;
    int questions = 0;
    base::net::Endpoint address() const { return base::net::from_asio(socket_.local_endpoint()); }

private:
    void receive() {
        socket_.async_receive_from(
            boost::asio::buffer(buffer_),
            peer_,
            [this](boost::system::error_code failure, std::size_t size) {
                if (failure == boost::asio::error::operation_aborted) return;
                if (!failure && !silent) answer(size);
                receive();
            }
        );
    }
    void answer(std::size_t size) {
        wire::dns::Query query;
        const auto form = wire::dns::decode_query({buffer_.data(), size}, query);
        ASSERT_EQ(form, wire::dns::QueryForm::good);
        ++questions;
        const bool east =
            !query.edns.subnet.data.empty() &&
            base::text::parse_prefix("127.10.1.0/24")->contains(query.edns.subnet.address());
        const auto address = ip((east ? for_east : for_west).c_str());
        std::vector<std::uint8_t> out(
            buffer_.begin(),
            buffer_.begin() +
                static_cast<std::ptrdiff_t>(wire::dns::kHeaderBytes + query.question_bytes())
        );
        out[2] = 0x84;  // a reply, authoritative
        out[3] = 0;
        out[7] = 1;   // one answer
        out[11] = 0;  // no OPT
        const std::array<std::uint8_t, 12> record{0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4};
        out.insert(out.end(), record.begin(), record.end());
        out.insert(out.end(), address.bytes.begin(), address.bytes.begin() + 4);
        socket_.send_to(boost::asio::buffer(out), peer_);
    }

    udp::socket socket_;
    udp::endpoint peer_;
    std::array<std::uint8_t, 1'024> buffer_{};
};

struct DnsWorld : World {
    NameServer east{io};
    NameServer west{io};
    DnsWorld() {
        settings.members[0].dns = east.address();
        settings.members[1].dns = west.address();
        settings.places = {
            {"east", {ip("127.0.1.20")}, base::text::parse_prefix("127.10.1.0/24")},
            {"west", {ip("127.0.2.20")}, base::text::parse_prefix("127.10.2.0/24")},
        };
        settings.dns_limit = 300ms;
    }
};

TEST(Check, DnsIsAskedAsAClientOfTheSiteWould) {
    DnsWorld world;
    world.east.for_east = world.west.for_east = "127.0.1.20";
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(make_check(
        {"dns.answer(ocs.example.net, east) == east", "dns.answer(ocs.example.net, west) == west"},
        1s
    ));
    EXPECT_EQ(end.outcome, Outcome::ok) << end.output;
    EXPECT_EQ(world.east.questions, 2);
}

TEST(Check, GslbThatAnswersOtherwiseIsNamed) {
    DnsWorld world;
    world.east.for_east = "127.0.1.20";
    world.west.for_east = "192.0.2.1";
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end =
        world.carry_out(make_check({"dns.answer(ocs.example.net, east) == west"}, 100ms));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(
        end.output,
        "dns.answer(ocs.example.net, east) == west: gslb-east: east, gslb-west: 192.0.2.1"
    );
}

TEST(Check, GslbThatCannotBeReachedIsNotAsked) {
    DnsWorld world;
    world.caller.members["gslb-east"].reachable = false;
    world.east.silent = true;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto check = make_check({"dns.answer(ocs.example.net, east) == west"}, 1s);
    EXPECT_EQ(world.carry_out(check).outcome, Outcome::ok);
}

TEST(Check, GslbThatCanBeReachedMustAnswer) {
    DnsWorld world;
    world.east.silent = true;
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end =
        world.carry_out(make_check({"dns.answer(ocs.example.net, east) == west"}, 100ms));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_NE(end.output.find("gslb-east: no-answer"), std::string::npos) << end.output;
}

TEST(Check, NobodyThereIsNoAnswer) {
    DnsWorld world;
    for (auto& [name, member] : world.caller.members) member.reachable = false;
    world.begin();
    ASSERT_TRUE(world.met());
    for (const auto* text :
         {"dns.answer(ocs.example.net, east) == west",
          "gslb.applied(east) == in",
          "gslb.applied(east) != out",
          "slb.clients(west) >= 0"}) {
        world.ended.clear();
        EXPECT_EQ(world.carry_out(make_check({text}, 20ms)).outcome, Outcome::failed) << text;
    }
}

TEST(Check, WhatMembersHold) {
    World world;
    world.wanted = {
        {"gslb", "site:east", "out", "", "", 5},
        {"slb/slb-west", "blade:b1", "drain", "", "", 5},
    };
    world.begin();
    ASSERT_TRUE(world.met());
    const auto end = world.carry_out(make_check(
        {"gslb.applied(east) == out",
         "gslb.applied(west) == in",
         "slb.applied(west, b1) == drain",
         "slb.applied(west, b2) == active",
         "slb.clients(west) == 7"},
        1s
    ));
    EXPECT_EQ(end.outcome, Outcome::ok) << end.output;
}

TEST(Check, FactsOfTheJudge) {
    World world;
    world.facts = {{"site.ok(west)", "yes"}, {"site.state(east)", "FAILED"}};
    world.begin();
    EXPECT_EQ(
        world.carry_out(make_check({"site.ok(west)", "site.state(east) == failed"}, 1s)).outcome,
        Outcome::ok
    );
    world.ended.clear();
    const auto end = world.carry_out(make_check({"site.ok(west)", "site.ready(west)"}, 50ms));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.output, "site.ready(west): unknown");
}

TEST(Check, WaitsUntilItIsTrue) {
    World world;
    world.facts["site.ok(west)"] = "no";
    world.begin();
    const auto check = make_check({"site.ok(west)"}, 4s);
    world.start(check);
    ASSERT_TRUE(world.until([&] { return !world.progress.empty(); }));
    EXPECT_EQ(world.progress[0], "site.ok(west): no");
    EXPECT_TRUE(world.ended.empty());
    world.facts["site.ok(west)"] = "yes";
    ASSERT_TRUE(world.until([&] { return world.ended.contains(check.op_id); }));
    EXPECT_EQ(world.ended[check.op_id][0].outcome, Outcome::ok);
}

TEST(Check, MustHoldWithoutABreak) {
    World world;
    world.facts["business.good(ocs)"] = "yes";
    world.begin();
    const auto began = Clock::now();
    EXPECT_EQ(world.carry_out(make_check({"business.good(ocs)"}, 2s, 200ms)).outcome, Outcome::ok);
    EXPECT_GE(Clock::now() - began, 200ms);
    // It is never true for 10 s within 100 ms.
    world.ended.clear();
    const auto end = world.carry_out(make_check({"business.good(ocs)"}, 100ms, 10s));
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.output, "true, but not for long enough");
}

}  // namespace
}  // namespace twinsite::switchover::execute
