// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/talk.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {

using base::Result;
using wire::group::Kind;
using wire::group::PolicyDigest;

namespace {

constexpr std::uint8_t kVersionWithDecisions = 2;
/// A bound on what a peer can make us keep.
constexpr std::size_t kMostPolicies = 200'000;

/// Compares two lists in order of owners.
void find_differences(
    const std::vector<PolicyDigest>& own, const std::vector<PolicyDigest>& theirs, PeerView& peer
) {
    peer.other_answers.clear();
    peer.broken.clear();
    std::map<std::string_view, const PolicyDigest*> others;
    for (const auto& each : theirs) others.emplace(each.owner, &each);
    for (const auto& each : own) {
        const auto other = others.find(each.owner);
        const bool known = other != others.end();
        if (known && other->second->table == each.table) {
            others.erase(other);
            continue;
        }
        peer.other_answers.push_back(each.owner);
        if (known && other->second->inputs == each.inputs) peer.broken.push_back(each.owner);
        if (known) others.erase(other);
    }
    for (const auto& [owner, digest] : others) peer.other_answers.emplace_back(owner);
}

}  // namespace

Talk::Talk(PeerView& peer, SharedState& state, std::uint8_t version, Send send)
    : peer_(peer), state_(state), version_(version), send_(std::move(send)) {}

void Talk::begin() {
    say_digest();
    say_observations();
    say_loads();
    say_fences();
}

void Talk::say_digest() {
    send_(Kind::digest, encode(state_.digest()));
}

void Talk::say_observations() {
    wire::group::Observations out;
    out.observer = state_.node();
    const auto send = [&] {
        if (!out.list.empty()) send_(Kind::observations, encode(out));
        out.list.clear();
    };
    std::map<std::string, std::uint64_t> said;
    for (auto& vote : state_.observations()) {
        auto key = vote.target + "\n" + vote.check;
        const auto before = said_votes_.find(key);
        const bool news = before == said_votes_.end() || before->second != vote.seq;
        said.emplace(std::move(key), vote.seq);
        if (!news) continue;
        out.list.push_back(std::move(vote));
        if (out.list.size() == wire::group::kMaxObservations) send();
    }
    send();
    said_votes_ = std::move(said);
}

void Talk::say_loads() {
    wire::group::Loads out;
    const auto send = [&] {
        if (!out.list.empty()) send_(Kind::loads, encode(out));
        out.list.clear();
    };
    for (auto& load : state_.loads()) {
        auto& said = said_loads_[load.service + "\n" + load.target];
        if (said == load.seq) continue;
        said = load.seq;
        out.list.push_back(std::move(load));
        if (out.list.size() == wire::group::kMaxLoads) send();
    }
    send();
}

void Talk::say_secrets() {
    if (const auto secrets = state_.secrets()) send_(Kind::secrets, encode(*secrets));
}

void Talk::say_fences() {
    send_(Kind::fences, encode(state_.fences()));
}

void Talk::say_intent() {
    if (const auto header = state_.intent()) send_(Kind::intent_offer, encode(*header));
}

void Talk::pull(Kind what, std::string from) {
    send_(Kind::pull, encode(wire::group::Pull{what, std::move(from), "", 0}));
}

Result<void> Talk::take(const wire::group::Frame& frame) {
    switch (frame.kind) {
        case Kind::digest:
            return take_digest(frame.payload);
        case Kind::pull:
            return take_pull(frame.payload);
        case Kind::overrides:
            return take_overrides(frame.payload);
        case Kind::observations:
            return take_observations(frame.payload);
        case Kind::intent_offer:
            return take_offer(frame.payload);
        case Kind::intent_part:
            return take_part(frame.payload);
        case Kind::decisions:
            return take_decisions(frame.payload);
        case Kind::loads: {
            const auto heard = wire::group::decode_loads(frame.payload);
            if (!heard) return heard.error();
            state_.take_loads(*heard);
            return {};
        }
        case Kind::secrets: {
            const auto heard = wire::group::decode_secrets(frame.payload);
            if (!heard) return heard.error();
            state_.take_secrets(*heard);
            return {};
        }
        case Kind::fences: {
            const auto heard = wire::group::decode_fences(frame.payload);
            if (!heard) return heard.error();
            state_.take_fences(*heard);
            return {};
        }
        default:
            return {};  // of a newer program
    }
}

Result<void> Talk::take_digest(const std::string& payload) {
    auto heard = wire::group::decode_digest(payload);
    if (!heard) return heard.error();
    const auto own = state_.digest();
    peer_.digest = *std::move(heard);
    peer_.compared = true;
    const auto& theirs = peer_.digest;
    const auto standing = state_.book().judge(theirs.intent);
    // Also for a fork: only the header tells who published it.
    const bool wanted = standing == Standing::newer || standing == Standing::forked;
    if (wanted && !fetch_) pull(Kind::intent_offer);
    if (theirs.overrides != own.overrides) pull(Kind::overrides);
    if (!theirs.secrets.empty() && theirs.secrets != own.secrets) pull(Kind::secrets);
    if (theirs.fences != own.fences) pull(Kind::fences);
    compare_decisions(own);
    return {};
}

void Talk::compare_decisions(const wire::group::Digest& own) {
    if (version_ < kVersionWithDecisions) return;
    if (peer_.digest.decision_tables == own.decision_tables) {
        peer_.other_answers.clear();
        peer_.broken.clear();
        return;
    }
    decisions_.clear();
    pull(Kind::decisions);
}

Result<void> Talk::take_pull(const std::string& payload) {
    const auto wanted = wire::group::decode_pull(payload);
    if (!wanted) return wanted.error();
    switch (wanted->what) {
        case Kind::overrides:
            send_(Kind::overrides, encode(state_.overrides(wanted->from)));
            break;
        case Kind::secrets:
            say_secrets();
            break;
        case Kind::fences:
            say_fences();
            break;
        case Kind::intent_offer:
            say_intent();
            break;
        case Kind::decisions:
            if (version_ >= kVersionWithDecisions) answer_decisions(wanted->from);
            break;
        case Kind::intent_part: {
            auto piece = state_.intent_piece(wanted->hash, wanted->offset);
            if (!piece.empty()) {
                const wire::group::IntentPart part{wanted->hash, wanted->offset, std::move(piece)};
                send_(Kind::intent_part, encode(part));
            }
            break;
        }
        default:
            break;
    }
    return {};
}

void Talk::answer_decisions(const std::string& from) {
    const auto& all = state_.own_decisions();
    auto at = std::upper_bound(
        all.begin(),
        all.end(),
        from,
        [](const std::string& key, const PolicyDigest& each) { return key < each.owner; }
    );
    wire::group::Decisions out;
    for (; at != all.end() && out.list.size() < wire::group::kMaxDecisions; ++at)
        out.list.push_back(*at);
    out.more = at != all.end();
    send_(Kind::decisions, encode(out));
}

Result<void> Talk::take_overrides(const std::string& payload) {
    const auto said = wire::group::decode_overrides(payload);
    if (!said) return said.error();
    state_.take_overrides(*said);
    if (said->more && !said->entries.empty()) {
        const auto& last = said->entries.back();
        pull(Kind::overrides, last.service + "\n" + last.object);
    }
    return {};
}

Result<void> Talk::take_observations(const std::string& payload) {
    auto heard = wire::group::decode_observations(payload);
    if (!heard) return heard.error();
    // A member speaks for itself only: whoever holds its certificate.
    if (heard->observer != peer_.name) return make_error_code(Errc::wrong_content);
    state_.take_observations(*heard);
    return {};
}

Result<void> Talk::take_offer(const std::string& payload) {
    auto header = wire::group::decode_intent_header(payload);
    if (!header) return header.error();
    const auto standing = state_.book().judge(*header);
    if (standing == Standing::forked) state_.note_fork(peer_.name, *header);
    if (standing != Standing::newer || !state_.wants(*header)) return {};
    if (fetch_ && fetch_->header() == *header) return {};  // on its way
    fetch_.emplace(*std::move(header));
    send_(Kind::pull, encode(fetch_->next_pull()));
    return {};
}

Result<void> Talk::take_part(const std::string& payload) {
    const auto part = wire::group::decode_intent_part(payload);
    if (!part) return part.error();
    if (!fetch_) return {};
    if (!fetch_->take(*part)) {
        fetch_.reset();
        return make_error_code(Errc::wrong_content);
    }
    if (!fetch_->complete()) {
        send_(Kind::pull, encode(fetch_->next_pull()));
        return {};
    }
    const auto done = std::exchange(fetch_, std::nullopt);
    state_.take_intent(peer_.name, done->header(), done->content());
    return {};
}

Result<void> Talk::take_decisions(const std::string& payload) {
    auto heard = wire::group::decode_decisions(payload);
    if (!heard) return heard.error();
    if (decisions_.size() + heard->list.size() > kMostPolicies)
        return make_error_code(Errc::too_large);
    std::move(heard->list.begin(), heard->list.end(), std::back_inserter(decisions_));
    if (heard->more && !decisions_.empty()) {
        pull(Kind::decisions, decisions_.back().owner);
        return {};
    }
    find_differences(state_.own_decisions(), decisions_, peer_);
    decisions_.clear();
    return {};
}

}  // namespace twinsite::gslb::group
