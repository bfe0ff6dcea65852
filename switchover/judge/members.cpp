// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/members.hpp"

#include <algorithm>

namespace twinsite::switchover::judge {

Members::Members(const model::Plan& plan, const Places& places, const Rules& rules)
    : rules_(rules) {
    const auto add = [&](MemberKind kind, const std::string& name, const std::string& place) {
        members_.emplace_back();
        members_.back().place = places.of(place);
        said_.emplace_back();
        said_.back().kind = kind;
        said_.back().name = name;
        said_.back().place = place;
    };
    for (const auto& gslb : plan.gslbs) add(MemberKind::gslb, gslb.name, gslb.site);
    for (const auto& slb : plan.slbs) add(MemberKind::slb, slb.name, slb.site);
    for (const auto& monitor : plan.monitors) {
        add(MemberKind::monitor, monitor.name, monitor.site);
        said_.back().in_sync = Truth::yes;
    }
}

std::optional<std::size_t> Members::find(std::string_view name) const {
    for (std::size_t i = 0; i < said_.size(); ++i)
        if (said_[i].name == name || name == said_[i].place + "/" + said_[i].name) return i;
    return std::nullopt;
}

void Members::observe(std::size_t index, const MemberReading& reading) {
    auto& member = members_[index];
    const auto interval = std::clamp(reading.interval, Duration{100}, rules_.longest_interval);
    if (!member.contact.add(reading.reachable, reading.at, interval, rules_.stale_intervals))
        return;
    if (!reading.reachable) return;
    auto& said = said_[index];
    said.heard = reading.at;
    if (reading.in_sync != Truth::unknown && said.kind != MemberKind::monitor)
        said.in_sync = reading.in_sync;
    if (reading.ready != Truth::unknown) said.ready = reading.ready;
}

Level Members::judge(Member& member, const MemberVerdict& verdict, Time now) const {
    const bool bad = verdict.reachable == Truth::no || verdict.ready == Truth::no;
    const auto bad_for = lasting(bad, now, member.bad_since);
    if (bad) return bad_for >= rules_.member_for ? Level::confirmed : Level::bad;
    return verdict.reachable == Truth::yes ? Level::good : Level::none;
}

void Members::hear(Time now, Heard& heard) const {
    for (const auto& member : members_)
        if (member.contact.fresh(now) && member.contact.last()) heard[member.place] = true;
}

void Members::evaluate(Time now, bool blind, Verdicts& out) {
    out.members.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
        evaluate_one(i, now, blind, out);
        out.members[i] = said_[i];
    }
}

void Members::evaluate_one(std::size_t index, Time now, bool blind, Verdicts& out) {
    auto& member = members_[index];
    auto& verdict = said_[index];
    verdict.reachable = member.contact.majority(now);
    // What it said before it went away says nothing about now.
    if (verdict.reachable != Truth::yes) {
        verdict.ready = Truth::unknown;
        if (verdict.kind != MemberKind::monitor) verdict.in_sync = Truth::unknown;
    }
    auto level = judge(member, verdict, now);
    if (blind && level > Level::blind) level = Level::blind;
    const auto before = member.track.state();
    if (member.track.step(level, now, rules_))
        out.changes.push_back({EntityKind::member, index, before, member.track.state()});
    verdict.state = member.track.state();
    verdict.since = member.track.since();
    verdict.flags.stale = member.contact.measured() && !member.contact.fresh(now);
    verdict.flags.flapping = member.track.flapping();
    verdict.flags.blind = level == Level::blind;
}

void Members::acted(std::size_t index, Time now) {
    members_[index].track.acted(now);
    members_[index].bad_since.reset();
}

void Members::restart_timers() {
    for (auto& member : members_) {
        member.track.restart_timers();
        member.bad_since.reset();
    }
}

}  // namespace twinsite::switchover::judge
