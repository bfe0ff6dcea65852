// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "switchover/judge/flap_window.hpp"
#include "switchover/judge/rules.hpp"
#include "switchover/judge/state.hpp"

namespace twinsite::switchover::judge {

/// What an evaluation found out about an entity, before time is looked at. In order of badness.
enum class Level : std::uint8_t {
    none,  ///< nothing fresh
    good,
    blind,  ///< looks bad, but the view is not trusted
    bad,
    confirmed,  ///< the rule for FAILED is met
};

/// The worse of an entity's own word and what is seen from outside. `none` says nothing.
inline Level worst(Level self, Level outside) {
    return self > outside ? self : outside;
}

/// How long `is` has been true without a break, this moment included; `since` remembers.
inline Time::duration lasting(bool is, Time now, std::optional<Time>& since) {
    if (!is) {
        since.reset();
        return Time::duration::zero();
    }
    if (!since) since = now;
    return now - *since;
}

/// The life of one entity: its state, since when, how long it has been good, how often it changes.
class Track {
public:
    /// One evaluation. True when the state changed.
    bool step(Level level, Time now, const Rules& rules);
    /// Something was done to it.
    void acted(Time now);
    /// What was seen so far does not count for timers any more (end of blindness).
    void restart_timers() { good_since_.reset(); }
    /// It went away and came back between two samples: two changes.
    void count_restart(Time now);

    State state() const { return state_; }
    Time since() const { return since_; }
    bool flapping() const { return flap_.flapping(); }
    double flap_percent() const { return flap_.percent(); }
    std::optional<Time> good_since() const { return good_since_; }

private:
    bool enter(State state, Time now);
    void judge_flapping(bool bad, Time now, Duration period);

    State state_ = State::unknown;
    FlapWindow flap_;
    Time since_{};
    Time pushed_{};  // the last judged sample of flap_
    std::optional<Time> good_since_;
};

}  // namespace twinsite::switchover::judge
