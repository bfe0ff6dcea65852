// SPDX-License-Identifier: Apache-2.0
// Any sequence of events and messages at one peer machine. Input: one byte chooses the role, then
// records of a kind byte and, for messages, the message itself.
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/error/check.hpp"
#include "wire/diameter/framer.hpp"
#include "wire/diameter/peer.hpp"

using namespace twinsite::wire::diameter;

namespace {

Identity self() {
    Identity out;
    out.host = "slb.x";
    out.realm = "x";
    out.auth_applications = {4};
    return out;
}

// Everything we send is framed by the same rules that we ask of others.
void check_sent(const Actions& out) {
    Framer framer;
    framer.feed(out.send);
    while (const auto message = framer.next()) BASE_CHECK(!check_avps(*message));
    BASE_CHECK(framer.buffered_bytes() == 0 && !framer.fault());
}

void check_rules(const Peer& peer, const Actions& out) {
    check_sent(out);
    BASE_CHECK(peer.timer().armed == (peer.state() != PeerState::closed));
    BASE_CHECK(!out.down || peer.state() == PeerState::closed);
    BASE_CHECK(!out.opened || peer.is_open());
    BASE_CHECK(!(out.deliver && out.down));
}

struct Input {
    std::span<const std::uint8_t> left;
    std::uint8_t byte() {
        if (left.empty()) return 0;
        const auto out = left.front();
        left = left.subspan(1);
        return out;
    }
    // The next whole message, or the reason why there is none.
    Event message() {
        if (left.size() < kHeaderBytes) {
            const auto rest = left;
            left = {};
            return Event::bad_stream(Errc::bad_length, rest);
        }
        if (const auto fault = check_frame(left.data(), kDefaultMaxMessageBytes)) {
            const auto rest = left;
            left = left.subspan(kHeaderBytes);
            return Event::bad_stream(*fault, rest);
        }
        const std::size_t length = HeaderView(left).length();
        if (length > left.size()) {
            left = {};
            return Event::transport_lost();
        }
        const auto whole = left.first(length);
        left = left.subspan(length);
        return Event::message(whole);
    }
};

Event next_event(Input& input, const Peer& peer) {
    switch (input.byte() % 16) {
        case 0:
            return Event::start();
        case 1:
            return Event::transport_up();
        case 2:
            return Event::transport_failed();
        case 3:
            return Event::transport_lost();
        case 4:
            return Event::timer(peer.timer().generation);
        case 5:
            return Event::timer(input.byte());
        case 6:
            return Event::suspicion();
        case 7:
            return Event::stop(static_cast<DisconnectCause>(input.byte() % 3));
        default:
            return input.message();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    Input input{{data, size}};
    PeerConfig config;
    config.role = input.byte() % 2 == 0 ? Role::responder : Role::initiator;
    std::uint32_t random = 1;
    Peer peer(self(), config, [&random] { return random = random * 1664525 + 1013904223; });
    Time now{std::chrono::hours(1)};
    Actions out;
    while (!input.left.empty()) {
        const Event event = next_event(input, peer);
        if (event.kind == Event::Kind::timer && peer.timer().armed)
            now = std::max(now, peer.timer().at);
        now += std::chrono::milliseconds(1);
        peer.step(event, now, out);
        check_rules(peer, out);
    }
    return 0;
}
