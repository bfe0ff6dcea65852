// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/relay.hpp"

#include <algorithm>

#include "base/error/check.hpp"
#include "base/text/text.hpp"
#include "slb/balance/rendezvous.hpp"
#include "slb/proxy/blade_link.hpp"
#include "slb/proxy/peer_setup.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::slb::proxy {

namespace result = wire::diameter::result;
using wire::diameter::HeaderView;

namespace {

/// For copies of pending requests. One size gets at most half of it: nearly half a million of up
/// to 500 bytes.
constexpr std::size_t kRetainedLimitBytes = std::size_t{512} * 1024 * 1024;

bool ended_well(std::uint32_t result_code) {
    return result_code / 1000 == 2;
}

}  // namespace

Relay::Relay(Engine& engine, const Settings& settings)
    : engine_(engine),
      key_{engine.random.next(), engine.random.next()},
      placement_(settings.session_capacity, 1),
      started_(engine.now),
      retained_(kRetainedLimitBytes) {
    use(settings);
}

Relay::~Relay() = default;

// A request goes to its blade --------------------------------------------------------------------

void Relay::on_request(ClientLink& client, const Request& request) {
    ++counters_.requests;
    if (HeaderView(request.message).is_retransmitted()) ++counters_.retransmitted;
    if (request.malformed) return refuse_malformed(client, request.message);
    if (const auto refusal = check(request)) return refuse(client, request.message, refusal);
    const auto choice = choose(request);
    if (!choice.blade) return refuse(client, request.message, choice.refusal);
    send(*choice.blade, client, request);
}

std::uint32_t Relay::check(const Request& request) const {
    if (request.looped) return result::kLoopDetected;
    const auto application = HeaderView(request.message).application();
    if (application == wire::diameter::application::kBase) return result::kCommandUnsupported;
    const bool known =
        applications_.empty() ||
        std::find(applications_.begin(), applications_.end(), application) != applications_.end();
    return known ? 0 : result::kApplicationUnsupported;
}

Relay::Choice Relay::choose(const Request& request) {
    if (request.tag == 0) {
        ++counters_.without_session;
        auto* const blade = pick();
        return blade ? Choice{blade, 0} : last_resort(request.tag);
    }
    if (const auto home = placement_.find(request.tag, tick_))
        return choose_known(request, *blades_[*home]);
    return choose_new(request);
}

Relay::Choice Relay::choose_known(const Request& request, BladeLink& home) {
    if (home.usable()) {
        // To its own blade or nowhere: another one does not know the session.
        if (home.full()) return {nullptr, result::kTooBusy};
        ++counters_.sticky;
        return {&home, 0};
    }
    if (auto* const other = pick()) {
        ++counters_.moved;
        return {place(request.tag, *other), 0};
    }
    if (home.suspect() && !home.full()) return {&home, 0};
    return last_resort(request.tag);
}

Relay::Choice Relay::choose_new(const Request& request) {
    if (auto* const named = hinted(request)) {
        ++counters_.hinted;
        ++counters_.placed;
        placement_.place(request.tag, named->index(), tick_);
        return {named, 0};
    }
    if (auto* const blade = pick()) {
        ++counters_.placed;
        return {place(request.tag, *blade), 0};
    }
    return last_resort(request.tag);
}

BladeLink* Relay::hinted(const Request& request) const {
    const auto host = request.destination_host;
    if (host.empty()) return nullptr;
    // A session that only begins has nothing at a blade that is to be emptied.
    const bool fresh = request.step == SessionStep::initial || request.step == SessionStep::event;
    for (const auto& blade : blades_)
        if (blade && blade->usable() && !blade->removing() && !blade->full() &&
            !(fresh && blade->draining()) &&
            base::text::equals_ignoring_case(blade->peer().capabilities().host, host))
            return blade.get();
    return nullptr;
}

BladeLink* Relay::pick() {
    const auto index = balancer_->pick(loads_.all(), engine_.random);
    return index ? blades_[*index].get() : nullptr;
}

Relay::Choice Relay::last_resort(session::Tag tag) {
    Choice out{nullptr, result::kUnableToDeliver};
    for (const auto& blade : blades_) {
        if (!blade || blade->draining() || blade->removing()) continue;
        if (blade->usable()) return {nullptr, result::kTooBusy};  // it is up, but full
        if (blade->suspect() && !blade->full() && !out.blade) out.blade = blade.get();
    }
    if (out.blade && tag != 0) placement_.place(tag, out.blade->index(), tick_);
    return out;
}

BladeLink* Relay::place(session::Tag tag, BladeLink& blade) {
    if (placement_.place(tag, blade.index(), tick_)) return &blade;
    // No room to remember it: choose so that the next request comes to the same result.
    ++counters_.table_full;
    const auto index = balance::rendezvous(tag, seeds_, loads_.all());
    return index ? blades_[*index].get() : &blade;
}

void Relay::send(BladeLink& blade, ClientLink& client, const Request& request) {
    const auto copy = retained_.keep(request.message, request.tag);
    auto* const slot = copy == kNotRetained ? nullptr : blade.slots().take();
    if (!slot) {
        if (copy != kNotRetained) retained_.release(copy);
        return refuse(client, request.message, result::kTooBusy);
    }
    const HeaderView header(request.message);
    slot->client = client.id();
    slot->hop_by_hop = header.hop_by_hop();
    slot->end_to_end = header.end_to_end();
    slot->sent_us = engine_.now_us;
    slot->request = copy;
    slot->step = request.step;
    client.request_taken();
    wire::diameter::set_hop_by_hop(request.message.data(), blade.slots().hop_by_hop(*slot));
    blade.write(request.message);
    loads_.sent(blade.index());
    ++blade.counters().requests;
    if (blade.full()) on_blade_changed(blade);
}

void Relay::refuse(
    ClientLink& client, std::span<const std::uint8_t> message, std::uint32_t result_code
) {
    counters_.errors.add(result_code);
    scratch_.clear();
    wire::diameter::build_error_answer(scratch_, self_, message, result_code);
    client.request_taken();
    client.answer(scratch_);
}

void Relay::refuse_malformed(ClientLink& client, std::span<const std::uint8_t> message) {
    wire::diameter::Defect defect;
    defect.result_code = result::kInvalidAvpLength;
    if (const auto fault = wire::diameter::check_avps(message))
        defect.failed_avp = wire::diameter::failed_avp_for(*fault);
    counters_.errors.add(defect.result_code);
    scratch_.clear();
    wire::diameter::build_error_answer(scratch_, self_, message, defect);
    client.request_taken();
    client.answer(scratch_);
}

// Its answer comes back --------------------------------------------------------------------------

void Relay::on_answer(BladeLink& blade, std::span<std::uint8_t> message) {
    const HeaderView header(message);
    auto* const slot = blade.slots().find(header.hop_by_hop(), header.end_to_end());
    auto& counters = blade.counters();
    if (!slot) {
        ++counters.late;
        return;
    }
    const auto result_code = read_result_code(message);
    ++counters.answers;
    counters.results.add(result_code);
    counters.answer_time_us += engine_.now_us - slot->sent_us;
    end_session(*slot, result_code);
    if (auto* const client = clients_.find(slot->client)) {
        wire::diameter::set_hop_by_hop(message.data(), slot->hop_by_hop);
        ++counters_.answers;
        client->answer(message);
    } else {
        ++counters_.client_gone;
    }
    retained_.release(slot->request);
    release(blade, *slot);
}

void Relay::end_session(const Pending& slot, std::uint32_t result_code) {
    // An entry outlives what it stands for only by the idle time, but a busy site would fill the
    // table with ended sessions long before that.
    const bool over = slot.step == SessionStep::event ||
                      (slot.step == SessionStep::initial && !ended_well(result_code)) ||
                      (slot.step == SessionStep::terminate &&
                       (ended_well(result_code) || result_code == result::kUnknownSessionId));
    if (!over) return;
    if (const auto tag = retained_.tag(slot.request)) placement_.release(tag);
}

void Relay::release(BladeLink& blade, Pending& slot) {
    const bool was_full = blade.full();
    blade.slots().release(slot);
    loads_.ended(blade.index());
    if (was_full) on_blade_changed(blade);
    if (blade.slots().size() == 0) blade.pending_ended();
}

void Relay::on_blade_request(BladeLink& blade, std::span<std::uint8_t> message) {
    ++counters_.unexpected;
    scratch_.clear();
    wire::diameter::build_error_answer(scratch_, self_, message, result::kUnableToDeliver);
    blade.write(scratch_);
}

// Blades that come and go ------------------------------------------------------------------------

void Relay::on_blade_changed(const BladeLink& blade) {
    loads_.set_eligible(blade.index(), blade.eligible());
}

void Relay::on_blade_lost(BladeLink& blade) {
    on_blade_changed(blade);
    move_all(blade, Reason::loss);
}

void Relay::on_blade_suspected(BladeLink& blade) {
    on_blade_changed(blade);
    move_all(blade, Reason::silence);
}

void Relay::on_blade_lost_state(const BladeLink& blade) {
    placement_.void_blade(blade.index());
}

void Relay::move_all(BladeLink& from, Reason reason) {
    // In the order of sending, so that the requests of one session stay in order. After silence,
    // what has no try left stays; any other that cannot move has nowhere to go, nor have the rest.
    auto* slot = from.slots().oldest();
    for (auto left = from.slots().size(); left > 0; --left) {
        auto* const next = &from.slots().newer(*slot);
        const bool spent = slot->tries >= tries_;
        if (!move(from, *slot, reason) && !spent) return;
        slot = next;
    }
}

bool Relay::move(BladeLink& from, Pending& slot, Reason reason) {
    auto* const to = slot.tries < tries_ ? other_blade(from, retained_.tag(slot.request)) : nullptr;
    if (!to) {
        if (reason == Reason::silence) return false;  // it may still answer in time
        give_up(from, slot);
        return true;
    }
    ++from.counters().resent_from;
    resend(*to, slot);
    release(from, slot);
    return true;
}

BladeLink* Relay::other_blade(BladeLink& from, session::Tag tag) {
    if (tag != 0) {
        const auto home = placement_.find(tag, tick_);
        if (home && *home != from.index()) {
            // An earlier request of this session has moved already: keep them together.
            auto& blade = *blades_[*home];
            if (blade.usable() && !blade.full()) return &blade;
        }
    }
    loads_.set_eligible(from.index(), false);
    auto* to = pick();
    on_blade_changed(from);
    if (!to) return nullptr;
    if (tag == 0) return to;
    ++counters_.moved;
    auto* const placed = place(tag, *to);
    return placed == &from ? to : placed;
}

void Relay::resend(BladeLink& to, const Pending& old) {
    auto* const slot = to.slots().take();
    BASE_CHECK(slot);  // whoever chose `to` saw that it is not full
    slot->client = old.client;
    slot->hop_by_hop = old.hop_by_hop;
    slot->end_to_end = old.end_to_end;
    slot->sent_us = engine_.now_us;
    slot->request = old.request;
    slot->tries = static_cast<std::uint8_t>(old.tries + 1);
    slot->step = old.step;
    const auto message = retained_.message(old.request);
    wire::diameter::set_hop_by_hop(message.data(), to.slots().hop_by_hop(*slot));
    wire::diameter::set_retransmitted(message.data());
    to.write(message);
    loads_.sent(to.index());
    ++to.counters().requests;
    ++to.counters().resent_to;
    if (to.full()) on_blade_changed(to);
}

void Relay::give_up(BladeLink& blade, Pending& slot) {
    if (auto* const client = clients_.find(slot.client)) {
        const auto message = retained_.message(slot.request);
        wire::diameter::set_hop_by_hop(message.data(), slot.hop_by_hop);
        counters_.errors.add(result::kUnableToDeliver);
        scratch_.clear();
        wire::diameter::build_error_answer(scratch_, self_, message, result::kUnableToDeliver);
        client->answer(scratch_);
    } else {
        ++counters_.client_gone;
    }
    retained_.release(slot.request);
    release(blade, slot);
}

// Time -------------------------------------------------------------------------------------------

void Relay::on_tick() {
    for (std::size_t i = 0; i < blades_.size(); ++i)
        if (blades_[i]) check_blade(*blades_[i]);
    retire_gone();
    clients_.for_each([](ClientLink& client) { client.on_tick(); });
    clients_.remove_closed(engine_.retired);
    if (engine_.now >= next_sweep_) sweep_sessions();
}

void Relay::check_blade(BladeLink& blade) {
    blade.on_blade_tick();
    while (auto* const slot = blade.slots().oldest()) {
        if (engine_.now_us - slot->sent_us < timeout_us_) break;
        ++blade.counters().timeouts;
        move(blade, *slot, Reason::time_out);
    }
    const auto* const oldest = blade.slots().oldest();
    if (!oldest || !blade.usable()) return;
    const auto quiet = engine_.now - blade.peer().last_heard();
    if (engine_.now_us - oldest->sent_us >= suspect_after_us_ &&
        quiet >= std::chrono::microseconds(suspect_after_us_))
        blade.suspect_now();
}

void Relay::sweep_sessions() {
    // The whole table once in about four seconds, with traffic or without.
    constexpr std::chrono::milliseconds kPeriod{100};
    next_sweep_ = engine_.now + kPeriod;
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(engine_.now - started_);
    tick_ = static_cast<session::Tick>(age.count() / session::kTickSeconds);
    placement_.sweep(tick_, placement_.capacity_slots() / 40 + 1024);
}

// Blades as configured ---------------------------------------------------------------------------

void Relay::use(const Settings& settings) {
    host_ = settings.host;
    self_ = make_identity(settings);
    applications_ = settings.applications;
    const auto to_us = [](milliseconds time) {
        return static_cast<std::uint32_t>(std::chrono::microseconds(time).count());
    };
    timeout_us_ = to_us(settings.request_timeout);
    suspect_after_us_ = to_us(settings.suspect_after);
    tries_ = settings.tries;
    const auto idle = static_cast<unsigned>(settings.session_idle.count()) / session::kTickSeconds;
    placement_.set_limits(settings.session_capacity, std::clamp(idle, 1u, session::kMaxIdleTicks));
    if (balance_ != settings.balance) {
        balance_ = settings.balance;
        balancer_ = balance::make_balancer(balance_);
    }
    const auto wanted = [&](const BladeLink& blade) {
        return std::any_of(settings.blades.begin(), settings.blades.end(), [&](const auto& one) {
            return one.name == blade.name() && one.address == blade.address();
        });
    };
    for (const auto& blade : blades_) {
        if (!blade || blade->removing() || wanted(*blade)) continue;
        blade->remove();
        placement_.void_blade(blade->index());
        on_blade_changed(*blade);
    }
    for (const auto& one : settings.blades) {
        if (auto* const blade = find_blade(one.name)) {
            blade->use(one, settings);
            on_blade_changed(*blade);
        } else {
            add_blade(one, settings);
        }
    }
}

BladeLink* Relay::find_blade(std::string_view name) const {
    for (const auto& blade : blades_)
        if (blade && !blade->removing() && blade->name() == name) return blade.get();
    return nullptr;
}

void Relay::add_blade(const BladeSettings& blade, const Settings& settings) {
    auto free = std::find(blades_.begin(), blades_.end(), nullptr);
    if (free == blades_.end()) free = blades_.emplace(blades_.end());
    const auto index = static_cast<session::BladeIndex>(free - blades_.begin());
    *free = std::make_unique<BladeLink>(engine_, *this, index, blade, settings);
    loads_.resize(blades_.size());
    loads_.set_eligible(index, false);
    seeds_.resize(blades_.size());
    // The same on every balancer, so that they agree without talking.
    const auto bytes = wire::diameter::as_bytes(blade.name);
    seeds_[index] = session::make_tag({0x7477696e73697465ULL, 0x72656e64657a766fULL}, bytes);
}

void Relay::retire_gone() {
    for (auto& blade : blades_) {
        if (!blade || !blade->is_gone()) continue;
        engine_.retired.push_back(std::move(blade));
        blade = nullptr;
    }
}

}  // namespace twinsite::slb::proxy
