// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"
#include "switchover/judge/places.hpp"
#include "switchover/judge/recent.hpp"
#include "switchover/judge/track.hpp"

namespace twinsite::switchover::judge {

/// The gslbs, slbs and monitors: whether they are reached, have the wanted state, and say that they
/// are ready.
class Members {
public:
    Members(const model::Plan& plan, const Places& places, const Rules& rules);

    std::optional<std::size_t> find(std::string_view name) const;
    void observe(std::size_t member, const MemberReading& reading);
    /// What was heard from where.
    void hear(Time now, Heard& heard) const;
    void evaluate(Time now, bool blind, Verdicts& out);
    void acted(std::size_t member, Time now);
    void restart_timers();

    std::size_t size() const { return members_.size(); }
    /// Names, kinds and places, before the first evaluation.
    const std::vector<MemberVerdict>& said() const { return said_; }
    std::size_t place(std::size_t member) const { return members_[member].place; }

private:
    struct Member {
        std::size_t place = 0;
        Recent contact;
        Track track;
        std::optional<Time> bad_since;
    };

    Level judge(Member& member, const MemberVerdict& verdict, Time now) const;
    void evaluate_one(std::size_t index, Time now, bool blind, Verdicts& out);

    const Rules& rules_;
    std::vector<Member> members_;
    std::vector<MemberVerdict> said_;  // name, kind, place and the member's own word
};

}  // namespace twinsite::switchover::judge
