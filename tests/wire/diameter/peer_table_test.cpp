// SPDX-License-Identifier: Apache-2.0
// The whole table of the peer machine: every state with every input, next state and actions.
#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"
#include "wire/diameter/builder.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::slb;
using namespace std::chrono_literals;
using Input = Peer::Input;
using State = PeerState;

constexpr std::array<State, kPeerStates> kStates = {
    State::closed,
    State::connecting,
    State::wait_cea,
    State::wait_cer,
    State::open,
    State::reopen,
    State::suspect,
    State::closing,
    State::departing
};
const std::map<State, std::string> kNames = {
    {State::closed, "closed"},
    {State::connecting, "connecting"},
    {State::wait_cea, "wait_cea"},
    {State::wait_cer, "wait_cer"},
    {State::open, "open"},
    {State::reopen, "reopen"},
    {State::suspect, "suspect"},
    {State::closing, "closing"},
    {State::departing, "departing"}
};

Bytes message(std::uint8_t flags, std::uint32_t code, bool with_result = false) {
    Bytes out;
    MessageBuilder builder(out, {flags, code, 0, 1, 2});
    if (with_result) builder.u32(avp::kResultCode, result::kSuccess);
    builder.text(avp::kOriginHost, "b.x").text(avp::kOriginRealm, "x");
    builder.u32(avp::kAuthApplicationId, 4).finish();
    return out;
}

const std::map<Input, Bytes>& messages() {
    static const std::map<Input, Bytes> all = {
        {Input::cer, message(0x80, 257)},
        {Input::cea, message(0, 257, true)},
        {Input::dwr, message(0x80, 280)},
        {Input::dwa, message(0, 280, true)},
        {Input::dpr, message(0x80, 282)},
        {Input::dpa, message(0, 282, true)},
        {Input::request, message(0xc0, 272)},
        {Input::answer, message(0x40, 272, true)},
        {Input::bad_message, message(0xe0, 272)},
        {Input::bad_stream, message(0x80, 280)},
    };
    return all;
}

// A peer driven to a state by the shortest way. `now` is when the last step was taken.
struct Driven {
    explicit Driven(State to)
        : peer(slb(), config(to == State::wait_cer ? Role::responder : Role::initiator), [] {
              return 5U;
          }) {
        drive(to);
        EXPECT_EQ(peer.state(), to);
    }
    static PeerConfig config(Role role) {
        PeerConfig out;
        out.role = role;
        return out;
    }
    void step(const Event& event) { peer.step(event, now, actions); }
    void fire() {
        now = std::max(now, peer.timer().at);
        step(Event::timer(peer.timer().generation));
    }
    void open() {
        step(Event::start());
        step(Event::transport_up());
        step(Event::message(messages().at(Input::cea)));
    }
    void drive(State to) {
        if (to == State::closed) return;
        if (to == State::wait_cer) return step(Event::transport_up());
        step(Event::start());
        if (to == State::connecting) return;
        step(Event::transport_up());
        if (to == State::wait_cea) return;
        step(Event::message(messages().at(Input::cea)));
        switch (to) {
            case State::suspect:
                return step(Event::suspicion());
            case State::reopen:
                step(Event::suspicion());
                fire();
                return open();
            case State::closing:
                return step(Event::stop(DisconnectCause::rebooting));
            case State::departing:
                return step(Event::message(messages().at(Input::dpr)));
            default:
                return;
        }
    }

    Peer peer;
    Time now{1h};
    Actions actions;
};

void apply(Driven& driven, Input input) {
    switch (input) {
        case Input::start:
            return driven.step(Event::start());
        case Input::up:
            return driven.step(Event::transport_up());
        case Input::failed:
            return driven.step(Event::transport_failed());
        case Input::lost:
            return driven.step(Event::transport_lost());
        case Input::timer:
            return driven.fire();
        case Input::suspicion:
            return driven.step(Event::suspicion());
        case Input::stop:
            return driven.step(Event::stop(DisconnectCause::busy));
        case Input::bad_stream:
            return driven.step(Event::bad_stream(Errc::bad_length, messages().at(input)));
        default:
            return driven.step(Event::message(messages().at(input)));
    }
}

// "next_state flags": s sends, C connect, v deliver, O opened, S suspected, R recovered,
// L peer leaving, X close, D down. "-" where nothing changes and nothing is to be done.
std::string outcome(State before, const Driven& driven) {
    const auto& out = driven.actions;
    std::string flags;
    if (!out.send.empty()) flags += 's';
    if (out.connect) flags += 'C';
    if (out.deliver) flags += 'v';
    if (out.opened) flags += 'O';
    if (out.suspected) flags += 'S';
    if (out.recovered) flags += 'R';
    if (out.peer_leaving) flags += 'L';
    if (out.close) flags += 'X';
    if (out.down) flags += 'D';
    if (driven.peer.state() == before && flags.empty()) return "-";
    return kNames.at(driven.peer.state()) + " " + flags;
}

using Row = std::array<std::string, kPeerStates>;
const std::string gone = "closed XD";

const std::map<Input, Row>& expected() {
    // columns: closed, connecting, wait_cea, wait_cer, open, reopen, suspect, closing, departing
    static const std::map<Input, Row> table = {
        {Input::start, {"connecting C", "-", "-", "-", "-", "-", "-", "-", "-"}},
        {Input::up, {"wait_cea s", "wait_cea s", "-", "-", "-", "-", "-", "-", "-"}},
        {Input::failed, {"-", "closed D", gone, gone, gone, gone, gone, gone, gone}},
        {Input::lost, {"-", "closed D", gone, gone, gone, gone, gone, gone, gone}},
        {Input::cer, {"-", "-", gone, "open sO", "open s", "reopen s", "open sR", "-", "-"}},
        {Input::cea, {"-", "-", "open O", gone, "-", "-", "open R", "-", "-"}},
        {Input::dwr,
         {"-", "-", gone, gone, "open s", "reopen s", "open sR", "closing s", "departing s"}},
        {Input::dwa, {"-", "-", gone, gone, "-", "reopen s", "open R", "-", "-"}},
        {Input::dpr,
         {"-",
          "-",
          gone,
          gone,
          "departing sL",
          "departing sL",
          "departing sL",
          "closing s",
          "departing s"}},
        {Input::dpa, {"-", "-", gone, gone, "-", "-", "open R", gone, "-"}},
        {Input::request,
         {"-", "-", gone, gone, "open v", "reopen v", "open vR", "closing v", "departing s"}},
        {Input::answer,
         {"-", "-", gone, gone, "open v", "reopen v", "open vR", "closing v", "departing v"}},
        {Input::bad_message,
         {"-", "-", gone, gone, "open s", "reopen s", "open sR", "closing s", "departing s"}},
        {Input::bad_stream,
         {"-", "-", gone, gone, "closed sXD", "closed sXD", "closed sXD", "closed sXD", "closed sXD"
         }},
        {Input::timer, {"-", gone, gone, gone, "open s", gone, gone, gone, gone}},
        {Input::suspicion, {"-", "-", "-", "-", "suspect sS", "-", "-", "-", "-"}},
        {Input::stop, {"-", gone, gone, gone, "closing s", "closing s", "closing s", "-", "-"}},
    };
    return table;
}

TEST(PeerTable, EveryStateAnswersEveryInput) {
    ASSERT_EQ(expected().size(), Peer::kInputs);
    for (const auto& [input, row] : expected())
        for (std::size_t i = 0; i < kStates.size(); ++i) {
            Driven driven(kStates[i]);
            apply(driven, input);
            EXPECT_EQ(outcome(kStates[i], driven), row[i])
                << "input " << static_cast<int>(input) << " in " << kNames.at(kStates[i]);
        }
}

TEST(PeerTable, OnlyAClosedPeerHasNoTimer) {
    for (const auto state : kStates) {
        Driven driven(state);
        EXPECT_EQ(driven.peer.timer().armed, state != State::closed) << kNames.at(state);
    }
    for (const auto& [input, row] : expected())
        for (const auto state : kStates) {
            Driven driven(state);
            apply(driven, input);
            EXPECT_EQ(driven.peer.timer().armed, driven.peer.state() != State::closed)
                << "input " << static_cast<int>(input) << " in " << kNames.at(state);
        }
}

TEST(PeerTable, AnOldTimerDoesNothingInAnyState) {
    for (const auto state : kStates) {
        Driven driven(state);
        const auto old = driven.peer.timer().generation - 1;
        driven.now += 24h;
        driven.step(Event::timer(old));
        EXPECT_EQ(outcome(state, driven), "-") << kNames.at(state);
    }
}

TEST(PeerTable, DeliveringIsToldWithoutAStepToo) {
    for (const auto state : kStates)
        for (const bool request : {true, false}) {
            Driven driven(state);
            const bool told = driven.peer.delivers(request);
            apply(driven, request ? Input::request : Input::answer);
            EXPECT_EQ(driven.actions.deliver, told) << kNames.at(state) << " " << request;
        }
}

}  // namespace
}  // namespace twinsite::wire::diameter
