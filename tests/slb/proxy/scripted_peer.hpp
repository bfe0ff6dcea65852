// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <sys/socket.h>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>

#include "base/net/endpoint.hpp"
#include "slb/proxy/shard.hpp"
#include "slb/proxy/socket.hpp"
#include "wire/diameter/avp.hpp"
#include "wire/diameter/base_messages.hpp"
#include "wire/diameter/builder.hpp"
#include "wire/diameter/framer.hpp"

/// Scripted Diameter peers over real loopback sockets, in the thread of the test, which also runs
/// the shard's turns: no test waits for a thread or sleeps.
namespace twinsite::slb::proxy::test {

namespace dia = wire::diameter;
using Bytes = std::vector<std::uint8_t>;
using namespace std::chrono_literals;

/// A received message with the questions that tests ask.
struct Received {
    Bytes bytes;

    dia::HeaderView header() const { return dia::HeaderView(bytes.data()); }
    std::uint32_t hop_by_hop() const { return header().hop_by_hop(); }
    std::uint32_t end_to_end() const { return header().end_to_end(); }
    std::uint32_t command() const { return header().command(); }
    bool retransmitted() const { return header().is_retransmitted(); }
    std::uint32_t result() const {
        const auto found = dia::find_avp(bytes, dia::avp::kResultCode);
        return found ? found->u32().value_or(0) : 0;
    }
    std::string text(std::uint32_t code) const {
        const auto found = dia::find_avp(bytes, code);
        return found ? std::string(found->text()) : std::string();
    }
    std::string session() const { return text(dia::avp::kSessionId); }
};

/// One end of a connection: sends bytes, collects messages.
class Wire {
public:
    Wire() = default;
    explicit Wire(base::file::Descriptor socket) : socket_(std::move(socket)) {}

    bool connected() const { return socket_.is_open(); }
    int fd() const { return socket_.number(); }
    void close() { socket_.close(); }
    void send(std::span<const std::uint8_t> bytes) {
        while (!bytes.empty()) {
            const auto put = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (put < 0 && errno == EAGAIN) {
                unsent_ = true;
                return;
            }
            if (put < 0) return;
            bytes = bytes.subspan(static_cast<std::size_t>(put));
        }
    }
    /// Reads what is there, without waiting.
    void read() {
        while (socket_.is_open() && !muted_) {
            const auto room = framer_.prepare();
            const auto got = ::recv(socket_.number(), room.data(), room.size(), MSG_DONTWAIT);
            if (got == 0 || (got < 0 && errno != EAGAIN)) at_end_ = true;
            if (got <= 0) return;
            framer_.commit(static_cast<std::size_t>(got));
            while (auto message = framer_.next())
                messages_.push_back({Bytes(message->begin(), message->end())});
        }
    }
    /// From now on the peer reads nothing, like a stopped process.
    void mute(bool muted) { muted_ = muted; }
    bool at_end() const { return at_end_; }
    bool unsent() const { return unsent_; }
    std::deque<Received>& messages() { return messages_; }
    std::optional<Received> take() {
        if (messages_.empty()) return std::nullopt;
        auto out = std::move(messages_.front());
        messages_.pop_front();
        return out;
    }

private:
    base::file::Descriptor socket_;
    dia::Framer framer_;
    std::deque<Received> messages_;
    bool at_end_ = false;
    bool muted_ = false;
    bool unsent_ = false;
};

inline dia::Identity identity(const std::string& host, std::uint32_t state_id = 1) {
    dia::Identity self;
    self.host = host;
    self.realm = "test.example";
    self.state_id = state_id;
    self.addresses = {*base::text::parse_ip("127.0.0.1")};
    self.auth_applications = {dia::application::kCreditControl};
    return self;
}

inline Bytes make_cer(const dia::Identity& self) {
    Bytes out;
    dia::build_cer(out, self, 0x0c0ffee0, 0x0badcafe);
    return out;
}

/// A small CCR. `type` is the CC-Request-Type; `padding` bytes make it longer.
inline Bytes make_ccr(
    const std::string& session,
    std::uint32_t hop_by_hop,
    std::uint32_t end_to_end,
    std::uint32_t type = 2,
    std::size_t padding = 0
) {
    Bytes out;
    dia::Header header;
    header.flags = dia::flag::kRequest | dia::flag::kProxiable;
    header.command = dia::command::kCreditControl;
    header.application = dia::application::kCreditControl;
    header.hop_by_hop = hop_by_hop;
    header.end_to_end = end_to_end;
    dia::MessageBuilder builder(out, header);
    builder.text(dia::avp::kSessionId, session)
        .text(dia::avp::kOriginHost, "c.test.example")
        .text(dia::avp::kOriginRealm, "test.example")
        .text(dia::avp::kDestinationRealm, "test.example")
        .u32(dia::avp::kAuthApplicationId, 4)
        .u32(dia::avp::kCcRequestType, type)
        .u32(dia::avp::kCcRequestNumber, 1);
    if (padding > 0) builder.text(dia::avp::kUserName, std::string(padding, 'u'));
    builder.finish();
    return out;
}

inline Bytes make_answer(
    const Received& request, const std::string& host, std::uint32_t result = 2001
) {
    Bytes out;
    dia::Header header;
    header.flags = dia::flag::kProxiable;
    header.command = request.command();
    header.application = request.header().application();
    header.hop_by_hop = request.hop_by_hop();
    header.end_to_end = request.end_to_end();
    dia::MessageBuilder(out, header)
        .text(dia::avp::kSessionId, request.session())
        .u32(dia::avp::kResultCode, result)
        .text(dia::avp::kOriginHost, host)
        .text(dia::avp::kOriginRealm, "test.example")
        .finish();
    return out;
}

/// A blade that listens; the test says what it answers.
class ScriptedBlade {
public:
    explicit ScriptedBlade(std::string host) : host_(std::move(host)) { listen({}); }

    const std::string& host() const { return host_; }
    base::net::Endpoint address() const { return address_; }
    Wire& wire() { return *wire_; }
    bool up() const { return up_; }
    /// Accepts, answers CER and DWR; everything else waits in `wire().messages()` or `requests()`.
    void run() {
        if (auto socket = accept_connection(listener_.number())) {
            wire_ = std::make_unique<Wire>(std::move(*socket));
            up_ = false;
        }
        if (!wire_->connected()) return;
        wire_->read();
        while (auto message = wire_->take()) handle(std::move(*message));
    }
    std::deque<Received>& requests() { return requests_; }
    std::deque<Received>& others() { return others_; }
    void answer(const Received& request, std::uint32_t result = 2001) {
        wire_->send(make_answer(request, host_, result));
    }
    void answer_all() {
        for (const auto& request : requests_) answer(request);
        requests_.clear();
    }
    void answer_by_itself(bool on) { automatic_ = on; }
    /// Like kill -9: connection and listener go, with what was not read.
    void kill() {
        wire_ = std::make_unique<Wire>();
        listener_.close();
        up_ = false;
        requests_.clear();
    }
    /// Back on the same address.
    void revive(std::uint32_t state_id) {
        state_id_ = state_id;
        listen(address_);
    }
    /// Neither reads nor accepts, like a stopped process.
    void mute(bool muted) {
        wire_->mute(muted);
        muted_ = muted;
    }
    void send_dpr(dia::DisconnectCause cause) {
        Bytes out;
        dia::build_dpr(out, identity(host_, state_id_), cause, 7, 7);
        wire_->send(out);
    }
    std::size_t served() const { return served_; }

private:
    void listen(const base::net::Endpoint& at) {
        const auto wanted = at.port == 0 ? *base::net::parse_endpoint("127.0.0.1:0") : at;
        auto listener = open_listener(wanted);
        ASSERT_TRUE(listener) << listener.error().message();
        listener_ = std::move(*listener);
        address_ = *local_endpoint(listener_.number());
    }
    void handle(Received message) {
        Bytes out;
        const auto self = identity(host_, state_id_);
        if (message.command() == dia::command::kCapabilitiesExchange) {
            dia::build_cea(out, self, message.header(), 2001);
            wire_->send(out);
            up_ = true;
        } else if (message.command() == dia::command::kDeviceWatchdog &&
                   message.header().is_request()) {
            dia::build_dwa(out, self, message.header());
            wire_->send(out);
        } else if (message.header().is_request() && !message.header().is_of_base_protocol()) {
            ++served_;
            if (automatic_) return answer(message);
            requests_.push_back(std::move(message));
        } else {
            others_.push_back(std::move(message));
        }
    }

    std::string host_;
    base::net::Endpoint address_;
    base::file::Descriptor listener_;
    std::unique_ptr<Wire> wire_ = std::make_unique<Wire>();
    std::deque<Received> requests_;
    std::deque<Received> others_;
    std::uint32_t state_id_ = 1;
    std::size_t served_ = 0;
    bool up_ = false;
    bool automatic_ = false;
    bool muted_ = false;
};

/// A shard with blades, and the loop that drives all of them.
class Site {
public:
    explicit Site(std::size_t blades, std::function<void(Settings&)> adjust = {}) {
        settings_.host = "slb.x";
        settings_.realm = "x";
        settings_.state_id = 77;
        settings_.listen = {*base::net::parse_endpoint("127.0.0.1:0")};
        settings_.reconnect_min = 1ms;
        settings_.reconnect_max = 20ms;
        for (std::size_t i = 1; i <= blades; ++i) {
            const auto name = "b" + std::to_string(i);
            blades_.push_back(std::make_unique<ScriptedBlade>(name + ".test.example"));
            settings_.blades.push_back({name, blades_.back()->address()});
        }
        if (adjust) adjust(settings_);
        shard_ = std::make_unique<Shard>(settings_, 42);
        EXPECT_TRUE(shard_->listen(settings_.listen));
        EXPECT_TRUE(until([&] { return open_blades() == blades; }));
    }

    Shard& shard() { return *shard_; }
    Settings& settings() { return settings_; }
    ScriptedBlade& blade(std::size_t number) { return *blades_[number - 1]; }
    std::vector<std::unique_ptr<ScriptedBlade>>& blades() { return blades_; }
    BladeStatus status(std::size_t number) {
        for (auto& one : shard_->status().blades)
            if (one.name == "b" + std::to_string(number)) return one;
        return {};
    }
    RelayCounters counters() { return shard_->status().relay; }
    std::size_t open_blades() {
        std::size_t open = 0;
        for (const auto& one : shard_->status().blades) open += one.link == "open";
        return open;
    }

    /// A connected client; with `capabilities`, one whose CER was answered.
    std::unique_ptr<Wire> connect(const std::string& host = "c.test.example") {
        auto client = connect_raw();
        client->send(make_cer(identity(host)));
        EXPECT_TRUE(until([&] { return !client->messages().empty(); }));
        const auto cea = client->take();
        EXPECT_TRUE(cea && cea->result() == 2001u);
        return client;
    }
    std::unique_ptr<Wire> connect_raw() {
        auto socket = start_connect(shard_->endpoints().front(), std::nullopt);
        EXPECT_TRUE(socket);
        auto client = std::make_unique<Wire>(std::move(*socket));
        clients_.push_back(client.get());
        pollfd ready{client->fd(), POLLOUT, 0};
        ::poll(&ready, 1, 1000);
        return client;
    }
    void forget(Wire& client) { std::erase(clients_, &client); }

    void step() {
        shard_->turn(1ms);
        for (auto& blade : blades_) blade->run();
        for (auto* client : clients_) client->read();
    }
    /// Turns until `done`; false after five seconds.
    bool until(const std::function<bool()>& done) {
        const auto limit = std::chrono::steady_clock::now() + 5s;
        while (!done()) {
            if (std::chrono::steady_clock::now() > limit) return false;
            step();
        }
        return true;
    }
    /// Turns for some time, for what must not happen.
    void run_for(std::chrono::milliseconds time) {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) step();
    }
    bool until_messages(Wire& wire, std::size_t count) {
        return until([&] { return wire.messages().size() >= count; });
    }
    bool until_requests(ScriptedBlade& blade, std::size_t count) {
        return until([&] { return blade.requests().size() >= count; });
    }

private:
    Settings settings_;
    std::vector<std::unique_ptr<ScriptedBlade>> blades_;
    std::unique_ptr<Shard> shard_;
    std::vector<Wire*> clients_;
};

}  // namespace twinsite::slb::proxy::test
