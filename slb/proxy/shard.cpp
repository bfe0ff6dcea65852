// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/shard.hpp"

#include <algorithm>

#include <pthread.h>

#include "base/log/log.hpp"
#include "slb/proxy/blade_link.hpp"
#include "slb/proxy/peer_setup.hpp"
#include "slb/proxy/socket.hpp"

namespace twinsite::slb::proxy {

using std::chrono::milliseconds;
using wire::diameter::DisconnectCause;

namespace {

/// How exact time-outs are while requests are pending, and how often an idle shard wakes up.
constexpr milliseconds kBusyTick{5};
constexpr milliseconds kIdleTick{50};

}  // namespace

Shard::Shard(const Settings& settings, std::uint64_t seed)
    : engine_(seed), mailbox_(engine_.poller), settings_(settings), relay_(engine_, settings) {}

Shard::~Shard() {
    stop();
}

base::Result<void> Shard::listen(const std::vector<base::net::Endpoint>& at) {
    std::vector<std::unique_ptr<Acceptor>> opened;
    const auto known = [&](const base::net::Endpoint& one) {
        return std::any_of(acceptors_.begin(), acceptors_.end(), [&](const auto& acceptor) {
            return acceptor->configured() == one;
        });
    };
    for (const auto& one : at) {
        if (known(one)) continue;
        auto listener = open_listener(one);
        if (!listener) return listener.error();
        opened.push_back(std::make_unique<Acceptor>(
            engine_,
            std::move(*listener),
            one,
            [this](base::file::Descriptor socket) { accept(std::move(socket)); }
        ));
    }
    std::vector<std::unique_ptr<Acceptor>> kept;
    for (auto& acceptor : acceptors_) {
        const bool wanted = std::find(at.begin(), at.end(), acceptor->configured()) != at.end();
        if (wanted) {
            kept.push_back(std::move(acceptor));
        } else {
            engine_.retired.push_back(std::move(acceptor));
        }
    }
    std::move(opened.begin(), opened.end(), std::back_inserter(kept));
    acceptors_ = std::move(kept);
    return {};
}

std::vector<base::net::Endpoint> Shard::endpoints() const {
    std::vector<base::net::Endpoint> out;
    for (const auto& acceptor : acceptors_) out.push_back(acceptor->endpoint());
    return out;
}

void Shard::start() {
    thread_ = std::thread([this] {
        ::pthread_setname_np(::pthread_self(), "slb-shard");
        while (!stopping_) turn(kIdleTick);
    });
}

void Shard::stop() {
    if (!thread_.joinable()) return;
    mailbox_.post([this] { stopping_ = true; });
    thread_.join();
}

void Shard::accept(base::file::Descriptor socket) {
    if (phase_ != Phase::serving) return;  // in the turn in which the drain began
    auto& clients = relay_.clients();
    if (clients.size() >= settings_.max_connections) {
        ++relay_.counters().connections_refused;
        return;
    }
    ++relay_.counters().connections;
    auto client = std::make_unique<ClientLink>(
        engine_, relay_, clients.next_id(), make_client_peer(settings_, engine_)
    );
    auto& link = *client;
    clients.add(std::move(client));
    link.start(std::move(socket));
}

base::Result<void> Shard::use(const Settings& settings) {
    if (phase_ != Phase::serving) return {};
    if (auto listening = listen(settings.listen); !listening) return listening;
    settings_ = settings;
    relay_.use(settings);
    return {};
}

// The turn ---------------------------------------------------------------------------------------

milliseconds Shard::until_tick() const {
    // Rounded up: waking a moment too early would only mean another empty turn.
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next_tick_ - engine_.now));
}

void Shard::turn(milliseconds limit) {
    engine_.poller.wait(std::min(limit, until_tick()));
    engine_.update_clock();
    engine_.poller.dispatch();
    if (engine_.now >= next_tick_) tick();
    // A flush that finds a broken connection may write to other links: the list can grow.
    for (std::size_t i = 0; i < engine_.dirty.size(); ++i) engine_.dirty[i]->flush();
    engine_.dirty.clear();
    if (!engine_.retired.empty()) engine_.retired.clear();
}

void Shard::tick() {
    relay_.on_tick();
    release_.on_tick(relay_.clients(), engine_.now);
    for (const auto& acceptor : acceptors_) acceptor->on_tick();
    if (phase_ != Phase::serving) drain_step();
    const bool busy = relay_.pending() > 0 || phase_ != Phase::serving;
    next_tick_ = engine_.now + (busy ? kBusyTick : kIdleTick);
}

// Leaving ----------------------------------------------------------------------------------------

void Shard::release(double per_second) {
    if (phase_ == Phase::serving) release_.start(relay_.clients(), per_second, engine_.now);
}

void Shard::stop_release() {
    release_.stop();
}

void Shard::drain(std::function<void()> drained) {
    if (phase_ != Phase::serving) return;
    phase_ = Phase::leaving_clients;
    release_.stop();
    drained_ = std::move(drained);
    for (auto& acceptor : acceptors_) engine_.retired.push_back(std::move(acceptor));
    acceptors_.clear();
    relay_.clients().for_each([](ClientLink& client) { client.stop(DisconnectCause::rebooting); });
    next_tick_ = engine_.now;
}

void Shard::drain_step() {
    if (phase_ == Phase::leaving_clients && relay_.clients().size() == 0 && relay_.pending() == 0) {
        phase_ = Phase::leaving_blades;
        for (const auto& blade : relay_.blades())
            if (blade) blade->remove();
    }
    if (phase_ != Phase::leaving_blades) return;
    for (const auto& blade : relay_.blades())
        if (blade) return;
    phase_ = Phase::drained;
    if (drained_) drained_();
}

// What others see --------------------------------------------------------------------------------

ShardStatus Shard::status() {
    ShardStatus out;
    for (const auto& blade : relay_.blades()) {
        if (!blade || blade->removing()) continue;
        out.blades.push_back({
            .name = blade->name(),
            .address = blade->address(),
            .host = blade->peer().capabilities().host,
            .draining = blade->draining(),
            .link = std::string(blade->link_state()),
            .pending = blade->slots().size(),
            .sessions = relay_.placement().sessions(blade->index()),
            .counters = blade->counters(),
        });
    }
    out.relay = relay_.counters();
    out.clients = relay_.clients().size();
    out.sessions = relay_.placement().size();
    out.session_slots = relay_.placement().capacity_slots();
    out.pending = relay_.pending();
    out.retained_bytes = relay_.retained_bytes();
    out.released = release_.asked_in_all();
    out.release_running = release_.running();
    return out;
}

}  // namespace twinsite::slb::proxy
