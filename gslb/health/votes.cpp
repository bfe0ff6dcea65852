// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/votes.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace twinsite::gslb::health {

std::string check_key(std::string_view name, std::string_view endpoint) {
    std::string out(name);
    out += '@';
    out += endpoint;
    return out;
}

std::optional<Quorum> parse_quorum(std::string_view text) {
    using Kind = Quorum::Kind;
    if (text == "any") return Quorum{Kind::any};
    if (text == "majority") return Quorum{Kind::majority};
    if (text == "all") return Quorum{Kind::all};
    constexpr std::uint32_t kMost = 1000;
    std::uint32_t least = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, least);
    if (failure != std::errc() || rest != end || least < 1 || least > kMost) return std::nullopt;
    return Quorum{Kind::count, least};
}

std::string to_string(const Quorum& quorum) {
    switch (quorum.kind) {
        case Quorum::Kind::any:
            return "any";
        case Quorum::Kind::majority:
            return "majority";
        case Quorum::Kind::all:
            return "all";
        case Quorum::Kind::count:
            return std::to_string(quorum.least);
    }
    return "majority";
}

namespace {

std::size_t needed(std::size_t votes, const Quorum& quorum) {
    switch (quorum.kind) {
        case Quorum::Kind::any:
            return 1;
        case Quorum::Kind::majority:
            return (votes + 1) / 2;
        case Quorum::Kind::all:
            return votes;
        case Quorum::Kind::count:
            return std::min<std::size_t>(votes, quorum.least);
    }
    return 1;
}

}  // namespace

State count_votes(std::span<const State> votes, const Quorum& quorum) {
    const auto up = static_cast<std::size_t>(std::count(votes.begin(), votes.end(), State::up));
    const auto down = static_cast<std::size_t>(std::count(votes.begin(), votes.end(), State::down));
    if (up + down == 0) return State::unknown;
    return up >= needed(up + down, quorum) ? State::up : State::down;
}

const char* to_string(Sign sign) {
    switch (sign) {
        case Sign::none:
            return "none";
        case Sign::bad:
            return "bad";
        case Sign::good:
            return "good";
    }
    return "none";
}

const char* to_string(Stance stance) {
    switch (stance) {
        case Stance::alone:
            return "alone";
        case Stance::member:
            return "member";
        case Stance::isolated:
            return "isolated";
    }
    return "alone";
}

Stance find_stance(const Surroundings& around) {
    const bool has_others = around.peer != Sign::none || around.witness != Sign::none;
    const auto sighted = has_others ? Stance::member : Stance::alone;
    if (!around.remote_all_down) return sighted;
    // Points outside all sites tell apart "they are gone" and "we are cut off".
    if (around.own_link == Sign::bad) return Stance::isolated;
    if (around.own_link == Sign::good) return sighted;
    // Somebody who sees from elsewhere is heard: we are not cut off, and their votes count.
    if (around.peer == Sign::good || around.witness == Sign::good) return sighted;
    // Nothing of the other sites is seen and nobody is heard.
    return has_others ? Stance::isolated : Stance::alone;
}

bool VoteBook::take(const Vote& vote, Clock::time_point now) {
    const auto heard =
        now -
        std::clamp<std::chrono::milliseconds>(vote.age, std::chrono::milliseconds(0), kForget);
    Key key{vote.target, vote.check, vote.observer};
    const auto found = votes_.find(key);
    if (found == votes_.end()) {
        if (votes_.size() >= kMost) return false;
        votes_.emplace(std::move(key), Kept{vote, heard});
        return true;
    }
    auto& kept = found->second;
    if (vote.seq <= kept.vote.seq && heard - kept.heard <= kAnew) return false;
    kept = {vote, heard};
    return true;
}

std::vector<const VoteBook::Kept*> VoteBook::find(std::string_view target, std::string_view check)
    const {
    std::map<std::string_view, const Kept*> by_observer;
    const auto collect = [&](std::string_view name) {
        Key first{std::string(target), std::string(name), ""};
        for (auto at = votes_.lower_bound(first); at != votes_.end(); ++at) {
            if (at->first.target != target || at->first.check != name) break;
            by_observer[at->first.observer] = &at->second;
        }
    };
    collect(check.substr(0, check.find('@')));
    collect(check);
    std::vector<const Kept*> out;
    out.reserve(by_observer.size());
    for (const auto& [observer, kept] : by_observer) out.push_back(kept);
    return out;
}

void VoteBook::forget(Clock::time_point now, Clock::duration limit) {
    std::erase_if(votes_, [&](const auto& entry) { return now - entry.second.heard > limit; });
}

bool is_fresh(
    const VoteBook::Kept& kept, std::chrono::milliseconds interval, Clock::time_point now
) {
    return now - kept.heard <= interval * kFreshIntervals;
}

State judge(const Ballot& ballot, const Quorum& quorum, Stance stance, State joint) {
    if (stance == Stance::isolated && ballot.remote)
        return joint == State::unknown ? ballot.own : joint;
    auto votes = ballot.others;
    votes.push_back(ballot.own);
    return count_votes(votes, quorum);
}

}  // namespace twinsite::gslb::health
