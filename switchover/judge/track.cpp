// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/track.hpp"

namespace twinsite::switchover::judge {

namespace {

Event event_of(Level level, std::optional<Time> good_since, Time now, Duration recover_for) {
    switch (level) {
        case Level::good:
            return good_since && now - *good_since >= recover_for ? Event::confirmed_good
                                                                  : Event::good;
        case Level::blind:
            return Event::blind;
        case Level::bad:
            return Event::bad;
        case Level::confirmed:
            return Event::confirmed_bad;
        case Level::none:
            break;
    }
    return Event::no_data;
}

}  // namespace

bool Track::step(Level level, Time now, const Rules& rules) {
    if (level != Level::good)
        good_since_.reset();
    else if (!good_since_)
        good_since_ = now;
    if (level != Level::none && level != Level::blind)
        judge_flapping(level != Level::good, now, rules.flap_period);
    return enter(next(state_, event_of(level, good_since_, now, rules.recover_for)), now);
}

void Track::acted(Time now) {
    good_since_.reset();
    enter(next(state_, Event::acted), now);
}

void Track::count_restart(Time now) {
    flap_.push(true);
    flap_.push(false);
    pushed_ = now;
}

bool Track::enter(State state, Time now) {
    if (state == state_) return false;
    state_ = state;
    since_ = now;
    return true;
}

void Track::judge_flapping(bool bad, Time now, Duration period) {
    // A change counts at once, so that none is lost between two periods; calm counts by period.
    const bool changed = !flap_.judged() || flap_.last() != bad;
    if (!changed && now - pushed_ < period) return;
    flap_.push(bad);
    pushed_ = now;
}

}  // namespace twinsite::switchover::judge
