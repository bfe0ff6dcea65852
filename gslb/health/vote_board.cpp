// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/vote_board.hpp"

#include <algorithm>
#include <utility>

#include "base/log/log.hpp"

namespace twinsite::gslb::health {

namespace log = base::log;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

/// A witness that has said nothing for so long is silent.
constexpr std::chrono::seconds kWitnessSilent{30};

std::string key_of(const CheckView& check) {
    return check_key(check.name, base::net::to_string(check.target));
}

bool counts(const VoteBook::Kept& kept, const CheckView& check, Clock::time_point now) {
    return kept.vote.result != State::unknown && is_fresh(kept, check.interval, now);
}

}  // namespace

std::string VoteBoard::joint_key(std::string_view id, std::string_view check) {
    return std::string(id) + " " + std::string(check);
}

void VoteBoard::apply(Rules rules) {
    rules_ = std::move(rules);
    std::erase_if(joint_, [this](const auto& entry) {
        return !rules_.targets.contains(entry.first.substr(0, entry.first.find(' ')));
    });
}

void VoteBoard::restore(const SavedVerdicts& joint, Clock::time_point now) {
    for (const auto& [key, saved] : joint) joint_[key] = {saved.state, now - saved.age};
}

SavedVerdicts VoteBoard::joint(Clock::time_point now) const {
    SavedVerdicts out;
    for (const auto& [key, known] : joint_)
        out[key] = {known.state, duration_cast<milliseconds>(now - known.at)};
    return out;
}

bool VoteBoard::take(const Vote& vote, Clock::time_point now) {
    if (vote.observer.empty() || vote.observer == rules_.node) return false;
    if (rules_.witnesses.contains(vote.observer)) witnessed_[vote.observer] = now;
    return book_.take(vote, now);
}

Sign VoteBoard::own_link() const {
    const auto checks = checks_(kOwnLink);
    const auto any = [&checks](State state) {
        return std::any_of(checks.begin(), checks.end(), [state](const CheckView& check) {
            return check.state == state;
        });
    };
    if (any(State::up)) return Sign::good;
    return any(State::down) && !any(State::unknown) ? Sign::bad : Sign::none;
}

Sign VoteBoard::witness(Clock::time_point now) const {
    if (rules_.witnesses.empty()) return Sign::none;
    const bool heard = std::any_of(witnessed_.begin(), witnessed_.end(), [&](const auto& entry) {
        return rules_.witnesses.contains(entry.first) && now - entry.second <= kWitnessSilent;
    });
    return heard ? Sign::good : Sign::bad;
}

bool VoteBoard::all_remote_down() const {
    bool seen = false;
    for (const auto& [id, target] : rules_.targets) {
        if (!target.remote) continue;
        for (const auto& check : checks_(id)) {
            if (check.state == State::up) return false;
            seen = seen || check.state == State::down;
        }
    }
    return seen;
}

/// A peer that is still taken for present, but whose votes have all grown old, is silent: else
/// there would be a moment between the two in which our votes decide alone.
Sign VoteBoard::peer(Clock::time_point now) const {
    if (peer_ != Sign::good || book_.size() == 0) return peer_;
    for (const auto& [id, target] : rules_.targets)
        for (const auto& check : checks_(id))
            for (const auto* kept : book_.find(id, key_of(check)))
                if (counts(*kept, check, now)) return Sign::good;
    return Sign::bad;
}

Surroundings VoteBoard::look_around(Clock::time_point now) const {
    Surroundings out{own_link(), peer_, witness(now), all_remote_down()};
    if (out.remote_all_down) out.peer = peer(now);
    return out;
}

bool VoteBoard::refresh(Clock::time_point now) {
    book_.forget(now);
    const bool alone = own_ && is_alone();
    around_ = alone ? Surroundings() : look_around(now);
    const auto before = std::exchange(stance_, find_stance(around_));
    if ((before == Stance::isolated) != (stance_ == Stance::isolated)) log_stance(before);
    std::map<std::string, Health, std::less<>> next;
    for (const auto& [id, target] : rules_.targets)
        next.emplace_hint(next.end(), id, alone ? own_(id) : judge_target(id, target, now));
    const bool changed = next != health_;
    health_ = std::move(next);
    return changed;
}

void VoteBoard::log_stance(Stance before) const {
    const std::vector<log::Field> fields{
        {"from", to_string(before)},
        {"to", to_string(stance_)},
        {"own_link", to_string(around_.own_link)},
        {"peer", to_string(around_.peer)},
        {"witness", to_string(around_.witness)}
    };
    if (stance_ == Stance::isolated)
        log::event(log::Level::error, "site_isolated", fields);
    else
        log::event(log::Level::info, "site_isolation_over", fields);
}

Health VoteBoard::judge_target(const std::string& id, const Target& target, Clock::time_point now) {
    std::vector<Health> all;
    for (const auto& check : checks_(id)) all.push_back(judge_check(id, target, check, now));
    return combine(all);
}

Health VoteBoard::judge_check(
    const std::string& id, const Target& target, const CheckView& check, Clock::time_point now
) {
    Health out;
    out.state = check.state;
    out.pending = check.pending;
    out.restored = check.restored;
    out.soonest_change_s = check.soonest_change_s;
    const auto key = key_of(check);
    Ballot ballot{check.state, {}, target.remote};
    for (const auto* kept : book_.find(id, key))
        if (counts(*kept, check, now)) ballot.others.push_back(kept->vote.result);
    const auto known = joint_.find(joint_key(id, key));
    const auto joint = known == joint_.end() ? State::unknown : known->second.state;
    if (ballot.others.empty() && !(stance_ == Stance::isolated && target.remote)) return out;
    out.state = judge(ballot, target.quorum, stance_, joint);
    if (!ballot.others.empty() && stance_ != Stance::isolated && out.state != State::unknown)
        joint_[joint_key(id, key)] = {out.state, now};
    return out;
}

Health VoteBoard::health(std::string_view id) const {
    const auto found = health_.find(id);
    return found == health_.end() ? Health{} : found->second;
}

std::vector<JudgedCheck> VoteBoard::judged(std::string_view id, Clock::time_point now) const {
    std::vector<JudgedCheck> out;
    const auto rule = rules_.targets.find(id);
    const Target target = rule == rules_.targets.end() ? Target{} : rule->second;
    for (const auto& check : checks_(id)) {
        JudgedCheck one;
        one.key = key_of(check);
        const auto age = check.age.value_or(milliseconds(0));
        const auto runs = check.successes + check.failures;
        one.words.push_back(
            {rules_.node, check.state, age, check.latency, runs, check.state != State::unknown, true
            }
        );
        Ballot ballot{check.state, {}, target.remote};
        for (const auto* kept : book_.find(id, one.key)) {
            const auto& vote = kept->vote;
            const bool fresh = counts(*kept, check, now);
            if (fresh) ballot.others.push_back(vote.result);
            const auto old = duration_cast<milliseconds>(now - kept->heard);
            one.words.push_back({vote.observer, vote.result, old, vote.rtt, vote.seq, fresh, false}
            );
        }
        const auto known = joint_.find(joint_key(id, one.key));
        if (known != joint_.end()) one.joint = known->second.state;
        one.result = judge(ballot, target.quorum, stance_, one.joint);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace twinsite::gslb::health
