// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict.hpp"

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
}

bool Verdict::feed(bool success) {
    const auto before = state_;
    if (state_ == State::unknown) {
        enter(success ? State::up : State::down);
    } else if (!success) {
        successes_ = 0;
        if (state_ == State::up && ++failures_ >= thresholds_.down) enter(State::down);
    } else if (state_ == State::down) {
        if (++successes_ >= thresholds_.up) enter(State::up);
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
            return thresholds_.up - successes_;
    }
    return 1;
}

}  // namespace twinsite::gslb::health
