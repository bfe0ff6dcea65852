// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/group.hpp"

#include <utility>

#include "base/async/deadline.hpp"
#include "base/http/tls.hpp"
#include "gslb/group/group_state.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {

namespace asio = boost::asio;
namespace log = base::log;
using asio::awaitable;
using base::Result;
using log::Level;
using std::chrono::milliseconds;
using wire::group::Kind;
using Clock = std::chrono::steady_clock;

// ---------------------------------------------------------------- exchange

bool Group::State::take(Member& member, const wire::group::Frame& frame) {
    ++counters_.frames_in;
    member.heard = Clock::now();
    if (!member.talk) return false;
    const auto taken = frame.kind == Kind::heartbeat ? take_heartbeat(member, frame.payload)
                                                     : member.talk->take(frame);
    if (taken) return true;
    ++counters_.bad_frames;
    log::event(
        Level::error,
        "group_frame_refused",
        {{"peer", member.view.name},
         {"kind", static_cast<unsigned>(frame.kind)},
         {"cause", taken.error().message()}}
    );
    return false;
}

Result<void> Group::State::take_heartbeat(Member& member, const std::string& payload) {
    const auto heard = wire::group::decode_heartbeat(payload);
    if (!heard) return heard.error();
    member.heard_seq = heard->seq;
    member.view.draining = heard->draining;
    if (heard->heard == member.sent_seq && member.sent_seq > 0)
        member.view.round_trip =
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - member.sent_at);
    notice();
    return {};
}

void Group::State::greet(Member& member) {
    wire::group::Heartbeat out;
    out.seq = ++member.sent_seq;
    out.heard = member.heard_seq;
    out.draining = stopping_;
    member.sent_at = Clock::now();
    ++counters_.frames_out;
    member.link->send(Kind::heartbeat, encode(out));
}

void Group::State::look_after(Member& member, bool digest_due) {
    if (!member.link) return;
    if (is_silent(member)) {
        member.link->close();
        return;
    }
    greet(member);
    if (!member.talk) return;
    member.talk->say_observations();
    member.talk->say_loads();
    if (digest_due) member.talk->say_digest();
}

awaitable<void> Group::State::beat(std::shared_ptr<State> self) {
    auto next_digest = Clock::now();
    while (!self->stopping_) {
        co_await base::async::sleep_for(self->settings_.heartbeat);
        if (self->stopping_) co_return;
        self->refresh_trust();
        const auto now = Clock::now();
        const bool due = now >= next_digest;
        if (due) next_digest = now + self->settings_.digest;
        for (const auto& member : self->members_) self->look_after(*member, due);
        self->notice();
    }
}

/// Who is not trusted any more under new files is cut off.
void Group::State::refresh_trust() {
    const bool as_server = server_files_->refresh();
    const bool as_client = client_files_->refresh();
    if (!as_server && !as_client) return;
    for (const auto& member : members_) {
        if (!member->link) continue;
        const auto& files = member->link->dialed() ? client_files_ : server_files_;
        if (member->link->stream().trusted_by(*files->context())) continue;
        log::event(
            Level::warning,
            "tls_peer_cut_off",
            {{"peer", member->link->stream().peer_address()},
             {"identity", member->link->stream().peer_identity()},
             {"error", "not trusted by the new files"}}
        );
        member->link->close();
    }
}

/// Tells the program when the other sites begin or cease to be heard.
void Group::State::notice() {
    const auto now = hears_other_site();
    if (now == noticed_) return;
    noticed_ = now;
    shared_.surroundings_changed();
}

// ---------------------------------------------------------------- questions

Group::State::MemberRef Group::State::find(std::string_view name) const {
    for (const auto& member : members_)
        if (member->view.name == name) return member;
    return nullptr;
}

bool Group::State::is_silent(const Member& member) const {
    return !member.heard || Clock::now() - *member.heard > settings_.silent_after;
}

std::optional<bool> Group::State::hears_other_site() const {
    std::optional<bool> out;
    for (const auto& member : members_) {
        // One whose site is not known yet may well be at another.
        if (member->view.site == settings_.site) continue;
        out = out.value_or(false) || (member->link && !is_silent(*member));
    }
    return out;
}

std::vector<PeerView> Group::State::peers() const {
    const auto own = shared_.digest();
    std::vector<PeerView> out;
    for (const auto& member : members_) {
        auto& view = out.emplace_back(member->view);
        if (member->heard)
            view.silent_for = std::chrono::floor<milliseconds>(Clock::now() - *member->heard);
        judge_peer(view, shared_.book(), own, settings_.silent_after);
    }
    return out;
}

GroupCounters Group::State::counters() const {
    auto out = counters_;
    for (const auto& member : members_)
        if (member->link) out.gossip_dropped += member->link->dropped();
    return out;
}

// ---------------------------------------------------------------- Group

Group::Group(asio::io_context& io, GroupSettings settings, SharedState& state)
    : state_(std::make_shared<State>(io, std::move(settings), state)) {}

Group::~Group() {
    state_->abort();
}

Result<base::net::Endpoint> Group::start() {
    return state_->start();
}

void Group::stop() {
    state_->stop();
}

void Group::tell_override(const wire::group::OverrideEntry& entry) {
    const auto payload = encode(wire::group::Overrides{{entry}, false});
    state_->tell([&](Member& member) { member.link->send(Kind::overrides, payload); });
}

void Group::tell_observations() {
    state_->tell([](Member& member) { member.talk->say_observations(); });
}

void Group::tell_loads() {
    state_->tell([](Member& member) { member.talk->say_loads(); });
}

void Group::tell_secrets() {
    state_->tell([](Member& member) { member.talk->say_secrets(); });
}

void Group::tell_fences() {
    state_->tell([](Member& member) { member.talk->say_fences(); });
}

void Group::tell_intent() {
    state_->tell([](Member& member) {
        member.talk->say_digest();
        member.talk->say_intent();
    });
}

void Group::tell_digest() {
    state_->tell([](Member& member) { member.talk->say_digest(); });
}

std::vector<PeerView> Group::peers() const {
    return state_->peers();
}

std::optional<bool> Group::hears_other_site() const {
    return state_->hears_other_site();
}

GroupCounters Group::counters() const {
    return state_->counters();
}

}  // namespace twinsite::gslb::group
