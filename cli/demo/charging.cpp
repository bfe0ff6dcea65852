// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/charging.hpp"

#include <algorithm>
#include <utility>

#include "wire/diameter/credit_control.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::cli::demo {

namespace diameter = wire::diameter;

namespace {

constexpr std::uint32_t kLastNumber = 2;  // initial 0, update 1, termination 2

diameter::CcRequestType type_of(std::uint32_t number) {
    if (number == 0) return diameter::CcRequestType::initial;
    return number < kLastNumber ? diameter::CcRequestType::update
                                : diameter::CcRequestType::termination;
}

// One of 100,000 subscribers, so that the same ones come again.
std::string subscriber(std::uint32_t count) {
    const auto digits = std::to_string(count % 100'000);
    return "86139000" + std::string(5 - digits.size(), '0') + digits;
}

}  // namespace

Charging::Charging(Origin origin, std::size_t sessions, std::uint32_t seed)
    : origin_(std::move(origin)), seed_(seed), sessions_(sessions), next_id_(seed) {}

Charging::Session* Charging::pick() {
    for (std::size_t tries = 0; tries < sessions_.size(); ++tries) {
        auto& session = sessions_[turn_];
        turn_ = (turn_ + 1) % sessions_.size();
        if (session.waiting || (finishing_ && !session.open)) continue;
        if (!session.open) begin(session);
        return &session;
    }
    return nullptr;
}

void Charging::begin(Session& session) {
    // RFC 6733 section 8.8: <DiameterIdentity>;<high 32 bits>;<low 32 bits>
    session.id = origin_.host + ";" + std::to_string(seed_) + ";" + std::to_string(begun_++);
    session.number = 0;
    session.open = true;
    ++open_;
}

void Charging::end(Session& session) {
    if (session.open) --open_;
    session.open = false;
}

bool Charging::next_request(std::vector<std::uint8_t>& out, Time now, std::uint32_t wall_seconds) {
    auto* const session = pick();
    if (session == nullptr) return false;
    const auto number_text = subscriber(begun_);
    diameter::CcrFields fields;
    fields.session = session->id;
    fields.origin_host = origin_.host;
    fields.origin_realm = origin_.realm;
    fields.destination_realm = origin_.destination_realm;
    fields.subscriber = number_text;
    fields.type = type_of(session->number);
    fields.number = session->number;
    // Diameter counts time from 1900, the system from 1970 (RFC 6733 section 4.3.1).
    fields.event_timestamp = wall_seconds + 2'208'988'800U;

    Pending pending{static_cast<std::size_t>(session - sessions_.data()), now, {}};
    const auto id = next_id_++;
    diameter::build_ccr(pending.bytes, fields, id, id);
    out.insert(out.end(), pending.bytes.begin(), pending.bytes.end());
    session->waiting = true;
    pending_.emplace(id, std::move(pending));
    return true;
}

void Charging::repeat_pending(std::vector<std::uint8_t>& out) {
    std::vector<Pending*> order;
    order.reserve(pending_.size());
    for (auto& [id, pending] : pending_) order.push_back(&pending);
    std::sort(order.begin(), order.end(), [](const Pending* a, const Pending* b) {
        return a->sent < b->sent;
    });
    for (auto* pending : order) {
        diameter::set_retransmitted(pending->bytes.data());
        out.insert(out.end(), pending->bytes.begin(), pending->bytes.end());
    }
}

Charging::Outcome Charging::answer(std::span<const std::uint8_t> message, Time now) {
    Outcome out;
    const auto id = diameter::HeaderView(message.data()).end_to_end();
    const auto found = pending_.find(id);
    if (found == pending_.end()) return out;
    out.expected = true;
    out.latency = std::chrono::duration_cast<std::chrono::microseconds>(now - found->second.sent);
    auto& session = sessions_[found->second.session];
    pending_.erase(found);
    session.waiting = false;

    diameter::CreditControlAnswer read;
    const bool whole = diameter::read_cca(message, read);
    out.origin_host = std::string(read.origin_host);
    out.good = whole && read.result_code == diameter::result::kSuccess &&
               read.session == session.id && read.number == session.number;
    // A session that was refused is over: the next one starts anew.
    if (!out.good || session.number == kLastNumber)
        end(session);
    else
        ++session.number;
    return out;
}

std::optional<Time> Charging::oldest_pending() const {
    std::optional<Time> out;
    for (const auto& [id, pending] : pending_)
        if (!out || pending.sent < *out) out = pending.sent;
    return out;
}

}  // namespace twinsite::cli::demo
