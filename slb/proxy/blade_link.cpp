// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/blade_link.hpp"

#include "base/log/log.hpp"
#include "slb/proxy/peer_setup.hpp"
#include "slb/proxy/relay.hpp"
#include "slb/proxy/socket.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::slb::proxy {

namespace log = base::log;
using wire::diameter::DownCause;
using wire::diameter::Event;
using wire::diameter::HeaderView;
using wire::diameter::PeerState;

namespace {

/// Unsent bytes from which on new sessions go elsewhere, and from which on nothing is taken at all.
constexpr std::size_t kCrowdedBytes = 1024 * 1024;
constexpr std::size_t kFullBytes = 16 * 1024 * 1024;
/// Only a blade that asks for more and more answers and reads none of them gets here.
constexpr std::size_t kCutOffBytes = 64 * 1024 * 1024;

/// RFC 3539 section 3.4 lets no peer back in on one sign of life after a failure. A blade that was
/// suspected twice without an answer between waits, each time twice as long.
constexpr milliseconds kHoldMin{1'000};
constexpr milliseconds kHoldMax{30'000};

base::async::Backoff make_back_off(const Settings& settings, Engine& engine) {
    return {settings.reconnect_min, settings.reconnect_max, [&engine] {
                return engine.random.next();
            }};
}

}  // namespace

BladeLink::BladeLink(
    Engine& engine,
    Relay& relay,
    session::BladeIndex index,
    const BladeSettings& blade,
    const Settings& settings
)
    : Link(engine, make_blade_peer(settings, engine)),
      relay_(relay),
      index_(index),
      name_(blade.name),
      address_(blade.address),
      slots_(settings.pending_per_blade),
      back_off_(make_back_off(settings, engine)),
      hold_back_off_(kHoldMin, kHoldMax, [&engine] { return engine.random.next(); }) {
    use(blade, settings);
}

void BladeLink::use(const BladeSettings& blade, const Settings& settings) {
    draining_ = blade.draining;
    reconnect_max_ = settings.reconnect_max;
    back_off_ = make_back_off(settings, engine_);
    bind_ = settings.blade_bind;
    slots_.set_limit(settings.pending_per_blade);
}

bool BladeLink::full() const {
    return slots_.full() || waiting_bytes() > kFullBytes;
}
bool BladeLink::crowded() const {
    return slots_.full() || waiting_bytes() > kCrowdedBytes;
}

// Life of the link -------------------------------------------------------------------------------

void BladeLink::on_blade_tick() {
    on_tick();
    if (held_) check_hold();
    if (removing_ && slots_.size() == 0 && peer_.state() != PeerState::closed)
        return stop(wire::diameter::DisconnectCause::do_not_want_to_talk);
    if (removing_ || connected() || peer_.state() != PeerState::closed) return;
    if (engine_.now >= dial_at_) step(Event::start());
}

void BladeLink::on_dial() {
    auto socket = start_connect(address_, bind_);
    if (!socket) return step(Event::transport_failed());
    attach(std::move(*socket), true);
}

void BladeLink::remove() {
    removing_ = true;
}

bool BladeLink::is_gone() const {
    return removing_ && slots_.size() == 0 && !connected() && peer().state() == PeerState::closed;
}

void BladeLink::on_opened() {
    back_off_.reset();
    failure_logged_ = false;
    held_ = suspected_before_ = false;
    ++counters_.connections;
    log::event(
        log::Level::info,
        "blade_connected",
        {{"blade", name_},
         {"host", peer().capabilities().host},
         {"address", base::net::to_string(address_)}}
    );
    if (peer_restarted_) {
        ++counters_.lost_state;
        log::event(log::Level::warning, "blade_lost_state", {{"blade", name_}});
        relay_.on_blade_lost_state(*this);
    }
    relay_.on_blade_changed(*this);
}

void BladeLink::on_down() {
    held_ = false;
    // Its pending requests are moved or given up below. After a bad stream our last word waits.
    if (peer().down_cause() != DownCause::bad_stream) ring_.drop_unsent();
    if (!held_dpa_.empty() && connected()) write(held_dpa_);
    held_dpa_.clear();
    const auto cause = peer().down_cause();
    // A blade that stays away is one event, not one per attempt.
    const bool repeated = cause == DownCause::connect_failed && failure_logged_;
    failure_logged_ = cause == DownCause::connect_failed;
    if (!repeated) log_down();
    plan_redial();
    relay_.on_blade_lost(*this);
}

void BladeLink::log_down() const {
    log::event(
        log::Level::warning,
        "blade_disconnected",
        {{"blade", name_},
         {"address", base::net::to_string(address_)},
         {"cause", wire::diameter::to_string(peer().down_cause())},
         {"result_code", peer().refusal()},
         {"pending", slots_.size()}}
    );
}

void BladeLink::plan_redial() {
    using wire::diameter::RedialRule;
    auto wait = back_off_.next();
    if (wire::diameter::redial_rule(peer().down_cause()) == RedialRule::later) {
        // It asked us to stay away: the longest wait, still with jitter.
        const auto half = static_cast<std::uint32_t>(reconnect_max_.count() / 2);
        wait = milliseconds(half + engine_.random.below(half + 1));
    }
    dial_at_ = engine_.now + wait;
}

void BladeLink::on_suspected() {
    ++counters_.suspicions;
    held_ = false;
    fruitless_ =
        suspected_before_ && answered() == answered_before_ && counters_.requests != asked_before_;
    if (answered() != answered_before_) hold_back_off_.reset();
    suspected_before_ = true;
    answered_before_ = answered();
    log::event(
        log::Level::warning, "blade_suspected", {{"blade", name_}, {"pending", slots_.size()}}
    );
    relay_.on_blade_suspected(*this);
    asked_before_ = counters_.requests;
}

void BladeLink::hold() {
    // At least half of it: a wait of nothing would be no hold.
    const auto most = hold_back_off_.ceiling();
    const auto wait = most / 2 + hold_back_off_.next() / 2;
    held_ = true;
    hold_until_ = engine_.now + wait;
    log::event(log::Level::warning, "blade_held", {{"blade", name_}, {"for_ms", wait}});
}

void BladeLink::check_hold() {
    const bool serves = answered() != answered_before_;
    if (!serves && engine_.now < hold_until_) return;
    held_ = false;
    log::event(log::Level::info, "blade_recovered", {{"blade", name_}});
    relay_.on_blade_changed(*this);
}

void BladeLink::on_recovered() {
    if (fruitless_) return hold();
    log::event(log::Level::info, "blade_recovered", {{"blade", name_}});
    relay_.on_blade_changed(*this);
}

void BladeLink::on_leaving(std::span<const std::uint8_t> answer) {
    held_dpa_.assign(answer.begin(), answer.end());
    relay_.on_blade_changed(*this);
    pending_ended();
}

void BladeLink::pending_ended() {
    // What it never got is served elsewhere now, or given up; it need not do it when it wakes up.
    if (suspect() && slots_.size() == 0) ring_.drop_unsent();
    if (held_dpa_.empty() || slots_.size() > 0) return;
    write(held_dpa_);
    held_dpa_.clear();
}

void BladeLink::on_flushed() {
    if (waiting_bytes() > kCutOffBytes) {
        close_now();
        return step(Event::transport_lost());
    }
    // Not only at changes: what was last told may be older than the last flush.
    relay_.on_blade_changed(*this);
}

// Messages ---------------------------------------------------------------------------------------

void BladeLink::on_batch(std::span<const Message> batch) {
    for (const auto& message : batch) slots_.prefetch(HeaderView(message).hop_by_hop());
    for (const auto& message : batch) {
        const HeaderView header(message);
        const bool clean = !header.is_request() && !header.is_of_base_protocol() &&
                           !header.is_retransmitted() && peer().delivers(false);
        if (clean) {
            relay_.on_answer(*this, message);
        } else {
            step_message(message);
        }
        if (!connected()) return;
    }
}

void BladeLink::on_delivered(Message message) {
    if (!HeaderView(message).is_request()) return relay_.on_answer(*this, message);
    relay_.on_blade_request(*this, message);
}

}  // namespace twinsite::slb::proxy
