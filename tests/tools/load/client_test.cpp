// SPDX-License-Identifier: Apache-2.0
#include "tools/load/client.hpp"

#include <gtest/gtest.h>

#include "tools/blade/charging.hpp"
#include "tools/load/report.hpp"
#include "wire/diameter/builder.hpp"
#include "wire/diameter/framer.hpp"

namespace twinsite::tools::load {
namespace {

using namespace wire::diameter;
using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;
using Time = wire::diameter::Time;

Identity blade_identity(const std::string& host) {
    Identity self;
    self.host = host;
    self.realm = "example.net";
    self.auth_applications = {4};
    return self;
}

Client::Setup setup(std::size_t window, bool reconnect = false) {
    Client::Setup out;
    out.origin = {"ne0.x", "x", "example.net", 1, 2};
    out.window = window;
    out.wanted_sessions = std::max<std::size_t>(window, 1);
    out.reconnect = reconnect;
    return out;
}

// A client and a blade, joined by hand.
struct Bench {
    explicit Bench(Client::Setup with, std::optional<std::uint32_t> sessions = {})
        : client(std::move(with), workload, counters) {
        workload.sessions_to_start = sessions;
        charging.emplace(blade::ChargingConfig{blade_identity("b1"), true, 2001});
    }
    void connect() {
        client.step(Event::start(), now, out);
        client.step(Event::transport_up(), now, out);
        const auto cer = take_sent().at(0);
        Bytes cea;
        build_cea(cea, blade_identity("b1"), HeaderView(cer), 2001);
        client.step(Event::message(cea), now, out);
        ASSERT_TRUE(client.peer().is_open());
    }
    std::vector<Bytes> take_sent() {
        Framer framer;
        framer.feed(out.content());
        out.clear();
        std::vector<Bytes> messages;
        while (const auto one = framer.next()) messages.emplace_back(one->begin(), one->end());
        return messages;
    }
    Bytes answer(const Bytes& request) {
        io::OutputBuffer buffer;
        charging->answer(request, buffer);
        return {buffer.content().begin(), buffer.content().end()};
    }
    void give(const Bytes& message) { client.take(message, now, out); }

    Workload workload;
    Counters counters;
    Client client;
    std::optional<blade::Charging> charging;
    io::OutputBuffer out;
    Time now{1h};
};

TEST(Client, RunsSessionsFromInitialToTerminationInOrder) {
    Bench bench(setup(2), 3);
    bench.connect();
    std::map<std::string, std::vector<std::uint32_t>> types;
    for (int turn = 0; turn < 100; ++turn) {
        bench.client.fill_window(bench.now, bench.out);
        const auto requests = bench.take_sent();
        if (requests.empty()) break;
        EXPECT_LE(requests.size(), 2U);
        for (const auto& request : requests) {
            CreditControlRequest read;
            ASSERT_FALSE(read_ccr(request, read));
            types[std::string(read.session)].push_back(static_cast<std::uint32_t>(read.type));
            bench.now += 1ms;
            bench.give(bench.answer(request));
        }
    }
    EXPECT_EQ(types.size(), 3U);
    for (const auto& [session, seen] : types)
        EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 2, 2, 2, 3})) << session;
    EXPECT_EQ(bench.counters.sent, 15U);
    EXPECT_EQ(bench.counters.answered, 15U);
    EXPECT_EQ(bench.counters.sessions_completed, 3U);
    EXPECT_EQ(bench.counters.result_codes().at(2001), 15U);
    EXPECT_EQ(bench.client.open_sessions(), 0U);
    EXPECT_TRUE(is_clean(bench.counters));
}

TEST(Client, CountsDuplicateLateAndUnexpectedAnswers) {
    Bench bench(setup(1));
    bench.connect();
    bench.client.fill_window(bench.now, bench.out);
    const auto first = bench.take_sent().at(0);
    const auto good = bench.answer(first);
    bench.give(good);
    bench.give(good);
    EXPECT_EQ(bench.counters.answered, 1U);
    EXPECT_EQ(bench.counters.duplicate, 1U);
    bench.client.fill_window(bench.now, bench.out);
    const auto second = bench.take_sent().at(0);
    bench.now += 11s;
    bench.client.expire(bench.now);
    EXPECT_EQ(bench.counters.lost, 1U);
    bench.give(bench.answer(second));
    EXPECT_EQ(bench.counters.late, 1U);
    auto stranger = good;
    set_hop_by_hop(stranger.data(), 0x77777777);
    bench.give(stranger);
    EXPECT_EQ(bench.counters.unexpected, 1U);
    EXPECT_FALSE(is_clean(bench.counters));
}

TEST(Client, RefusesAnswersWithWrongContent) {
    Bench bench(setup(1));
    bench.connect();
    bench.client.fill_window(bench.now, bench.out);
    const auto request = bench.take_sent().at(0);
    const auto good = bench.answer(request);
    const auto change = [&good](std::uint32_t code, std::ptrdiff_t from_end, std::uint8_t value) {
        Bytes out = good;
        const auto avp = find_avp(out, code).value();
        const auto end = avp.data.data() + avp.data.size() - out.data();
        out[static_cast<std::size_t>(end - from_end)] = value;
        return out;
    };
    bench.give(change(avp::kSessionId, 1, '9'));
    EXPECT_EQ(bench.counters.unexpected, 1U);
    bench.give(change(avp::kCcRequestType, 1, 3));
    EXPECT_EQ(bench.counters.unexpected, 2U);
    bench.give(change(avp::kCcRequestNumber, 1, 9));
    EXPECT_EQ(bench.counters.unexpected, 3U);
    auto other_end = good;
    set_end_to_end(other_end.data(), 1);
    bench.give(other_end);
    EXPECT_EQ(bench.counters.unexpected, 4U);
    auto cut = good;
    store_u24(cut.data() + 25, 3);
    bench.give(cut);
    EXPECT_EQ(bench.counters.unexpected, 5U);
    EXPECT_EQ(bench.counters.answered, 0U);
    bench.give(good);
    EXPECT_EQ(bench.counters.answered, 1U) << "it still waited for the right one";
}

TEST(Client, EndsASessionOnAFailureAndCountsTheCode) {
    Bench bench(setup(1), 1);
    bench.connect();
    bench.client.fill_window(bench.now, bench.out);
    const auto request = bench.take_sent().at(0);
    Bytes refusal;
    build_error_answer(refusal, blade_identity("slb.x"), request, result::kUnableToDeliver);
    bench.give(refusal);
    EXPECT_EQ(bench.counters.answered, 1U);
    EXPECT_EQ(bench.counters.result_codes().at(3002), 1U);
    EXPECT_EQ(bench.counters.sessions_failed, 1U);
    EXPECT_EQ(bench.counters.hosts().size(), 0U) << "an error answer is no blade's";
    bench.client.fill_window(bench.now, bench.out);
    EXPECT_TRUE(bench.take_sent().empty());
}

TEST(Client, CountsASessionThatChangedItsBladeOnce) {
    Bench bench(setup(1), 1);
    bench.connect();
    blade::Charging other({blade_identity("b2"), false, 2001});
    for (int i = 0; i < 5; ++i) {
        bench.client.fill_window(bench.now, bench.out);
        const auto request = bench.take_sent().at(0);
        io::OutputBuffer buffer;
        (i % 2 == 0 ? *bench.charging : other).answer(request, buffer);
        // The strict first blade knows the session from its beginning.
        bench.give({buffer.content().begin(), buffer.content().end()});
    }
    EXPECT_EQ(bench.counters.sessions_moved, 1U);
    EXPECT_EQ(bench.counters.hosts().size(), 2U);
}

TEST(Client, OpenLoopKeepsItsPaceWhateverTheServerDoes) {
    auto with = setup(0);
    with.wanted_sessions = 3;
    Bench bench(with);
    bench.connect();
    for (int i = 0; i < 10; ++i)
        EXPECT_TRUE(bench.client.issue(bench.now + i * 1ms, bench.now + 10ms, bench.out));
    EXPECT_EQ(bench.take_sent().size(), 10U);
    EXPECT_EQ(bench.counters.sessions, 10U) << "sessions that wait hold nobody back";
    EXPECT_EQ(bench.counters.send_lag.max(), 10ms);
}

TEST(Client, LatencyCountsFromTheDueTime) {
    Bench bench(setup(0), 1);
    bench.connect();
    bench.client.issue(bench.now - 30ms, bench.now, bench.out);
    const auto request = bench.take_sent().at(0);
    bench.now += 20ms;
    bench.give(bench.answer(request));
    EXPECT_EQ(bench.counters.latency.max(), 50ms);
}

TEST(Client, SendsPendingRequestsAgainWithTAfterAReconnect) {
    Bench bench(setup(3, true), 3);
    bench.connect();
    bench.client.fill_window(bench.now, bench.out);
    const auto before = bench.take_sent();
    bench.give(bench.answer(before.at(1)));
    bench.client.step(Event::transport_lost(), bench.now, bench.out);
    EXPECT_TRUE(bench.client.issue(bench.now, bench.now, bench.out)) << "queued for later";
    EXPECT_TRUE(bench.out.empty());
    bench.connect();
    const auto after = bench.take_sent();
    ASSERT_EQ(after.size(), 3U);
    EXPECT_TRUE(HeaderView(after[0]).is_retransmitted());
    EXPECT_TRUE(HeaderView(after[1]).is_retransmitted());
    EXPECT_FALSE(HeaderView(after[2]).is_retransmitted()) << "this one was never sent";
    EXPECT_EQ(HeaderView(after[0]).end_to_end(), HeaderView(before[0]).end_to_end());
    EXPECT_EQ(HeaderView(after[1]).end_to_end(), HeaderView(before[2]).end_to_end());
    EXPECT_EQ(bench.counters.retransmits, 2U);
    EXPECT_EQ(bench.counters.reconnects, 1U);
    for (const auto& request : after) bench.give(bench.answer(request));
    EXPECT_EQ(bench.counters.answered, 4U);
    EXPECT_TRUE(is_clean(bench.counters));
}

TEST(Client, WithoutReconnectALostConnectionLosesWhatIsPending) {
    Bench bench(setup(3), 3);
    bench.connect();
    bench.client.fill_window(bench.now, bench.out);
    bench.client.step(Event::transport_lost(), bench.now, bench.out);
    EXPECT_EQ(bench.counters.lost, 3U);
    EXPECT_EQ(bench.counters.sessions_failed, 3U);
    EXPECT_EQ(bench.client.waiting(), 0U);
}

TEST(Client, AnswersWatchdogsAndRefusesRequests) {
    Bench bench(setup(1));
    bench.connect();
    Bytes dwr;
    build_dwr(dwr, blade_identity("slb.x"), 5, 6);
    bench.give(dwr);
    const auto dwa = bench.take_sent().at(0);
    EXPECT_EQ(HeaderView(dwa).command(), command::kDeviceWatchdog);
    EXPECT_FALSE(HeaderView(dwa).is_request());
    Bytes rar;
    MessageBuilder(rar, {0xc0, command::kReAuth, 4, 1, 2}).text(avp::kSessionId, "s").finish();
    bench.give(rar);
    EXPECT_EQ(find_avp(bench.take_sent().at(0), avp::kResultCode)->u32(), 3001U);
}

TEST(Report, IsOneJsonObjectOfPlainNumbers) {
    Counters counters;
    counters.sent = 3;
    counters.count_result(2001);
    counters.count_result(2001);
    counters.count_host("b\"1");
    counters.latency.record(1500us);
    const auto text = to_json(counters, 1500ms);
    EXPECT_TRUE(text.starts_with("{\"sent\":3,\"answered\":0,\"lost\":0,"));
    EXPECT_NE(text.find("\"result_codes\":{\"2001\":2}"), std::string::npos);
    EXPECT_NE(text.find("\"answers_by_host\":{\"b\\\"1\":1}"), std::string::npos);
    EXPECT_NE(text.find("\"seconds\":1.500,"), std::string::npos);
    EXPECT_NE(text.find("\"max\":1500.0}"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::tools::load
