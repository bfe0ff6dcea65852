// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict.hpp"

#include <algorithm>

namespace twinsite::gslb::health {

const char* to_string(State state) {
    switch (state) {
        case State::unknown:
            return "unknown";
        case State::up:
            return "up";
        case State::down:
            return "down";
    }
    return "unknown";
}

void Verdict::enter(State state) {
    state_ = state;
    failures_ = 0;
    successes_ = 0;
    held_until_.reset();
}

bool Verdict::feed(bool success, Clock::time_point now) {
    const auto before = state_;
    last_ = now;
    if (state_ == State::unknown) {
        enter(success ? State::up : State::down);
    } else if (!success) {
        successes_ = 0;
        if (state_ == State::up && ++failures_ >= thresholds_.down) {
            enter(State::down);
            if (thresholds_.hold_down.count() > 0) held_until_ = now + thresholds_.hold_down;
        }
    } else if (state_ == State::down) {
        if (successes_ < thresholds_.up) ++successes_;
        const bool held = held_until_ && now < *held_until_;
        if (successes_ >= thresholds_.up && !held) enter(State::up);
    } else if (failures_ > 0 && ++successes_ >= thresholds_.ok) {
        enter(State::up);  // forgiven: all counters start anew
    }
    return state_ != before;
}

std::uint32_t Verdict::results_to_change() const {
    switch (state_) {
        case State::unknown:
            return 1;
        case State::up:
            return thresholds_.down - failures_;
        case State::down:
            return successes_ < thresholds_.up ? thresholds_.up - successes_ : 1;
    }
    return 1;
}

Clock::duration Verdict::held_beyond(std::chrono::milliseconds interval) const {
    return held_until_ ? *held_until_ - last_ - interval : Clock::duration::zero();
}

std::chrono::milliseconds Verdict::soonest_change(std::chrono::milliseconds interval) const {
    using std::chrono::milliseconds;
    const auto shortest = interval - interval / kJitterPart;
    const auto by_results = shortest * (results_to_change() - 1);
    const auto held = std::chrono::duration_cast<milliseconds>(held_beyond(interval));
    return std::max<milliseconds>(by_results, held);
}

}  // namespace twinsite::gslb::health
