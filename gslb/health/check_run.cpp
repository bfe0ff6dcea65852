// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check_run.hpp"

#include <algorithm>

namespace twinsite::gslb::health {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

void CheckRun::inherit(const CheckRun& other) {
    verdict_ = Verdict(check_.thresholds, other.verdict_.state(), other.verdict_.held_until());
    remembered_ = other.remembered_;
    restored_ = other.restored_;
    has_result_ = other.has_result_;
    last_result_ = other.last_result_;
    expires_ = other.expires_;
    last_error_ = other.last_error_;
    latency_ = other.latency_;
    successes_ = other.successes_;
    failures_ = other.failures_;
}

void CheckRun::restore(const SavedVerdict& saved, Clock::time_point now, milliseconds trusted_age) {
    if (is_pushed()) {
        if (saved.ttl_left.count() <= 0) return;
        expires_ = now + saved.ttl_left;
    }
    std::optional<Clock::time_point> held_until;
    if (saved.hold_left.count() > 0) held_until = now + saved.hold_left;
    if (is_pushed() || saved.age <= trusted_age)
        verdict_ = Verdict(check_.thresholds, saved.state, held_until);
    remembered_ = saved.state;
    restored_ = true;
    last_result_ = now - saved.age;
}

bool CheckRun::take(const probe::Outcome& outcome, Clock::time_point now) {
    const auto before = health();
    verdict_.feed(outcome.ok, now);
    remembered_ = State::unknown;
    restored_ = false;
    has_result_ = true;
    last_result_ = now;
    last_error_ = outcome.error;
    latency_ = outcome.latency;
    ++(outcome.ok ? successes_ : failures_);
    return health() != before;
}

bool CheckRun::push(const Pushed& pushed, Clock::time_point now) {
    const auto before = health();
    const auto found = now - pushed.age;
    const bool holds = pushed.state != State::unknown && pushed.age < pushed.ttl;
    verdict_ = Verdict(check_.thresholds, holds ? pushed.state : State::unknown);
    expires_ = holds ? std::optional(found + pushed.ttl) : std::nullopt;
    remembered_ = State::unknown;
    restored_ = false;
    has_result_ = true;
    last_result_ = found;
    last_error_ = pushed.state == State::down && pushed.cause.empty() ? "told so" : pushed.cause;
    if (pushed.state != State::unknown) ++(pushed.state == State::up ? successes_ : failures_);
    return health() != before;
}

bool CheckRun::expire(Clock::time_point now) {
    if (!expires_ || now < *expires_) return false;
    const auto before = health();
    expires_.reset();
    verdict_ = Verdict(check_.thresholds);
    remembered_ = State::unknown;
    restored_ = false;
    last_error_ = "nobody has told its state in time";
    return health() != before;
}

Health CheckRun::health() const {
    const auto interval = check_.interval;
    Health out;
    out.restored = restored_;
    if (is_pushed()) {  // the next word may come at any time, and mostly comes by the interval
        out.state = verdict_.state();
        out.soonest_change_s = soonest_seconds(interval);
        return out;
    }
    const bool decided = verdict_.state() != State::unknown;
    out.state = decided ? verdict_.state() : remembered_;
    out.pending = verdict_.pending(interval);
    out.soonest_change_s = soonest_seconds(verdict_.soonest_change(interval));
    return out;
}

std::optional<milliseconds> CheckRun::age(Clock::time_point now) const {
    if (!last_result_) return std::nullopt;
    return duration_cast<milliseconds>(now - *last_result_);
}

std::optional<SavedVerdict> CheckRun::to_save(Clock::time_point now) const {
    const auto known = age(now);
    SavedVerdict out;
    out.state = health().state;
    if (out.state == State::unknown || !known) return std::nullopt;
    out.age = *known;
    const auto left = [now](std::optional<Clock::time_point> until) {
        const auto rest = until ? duration_cast<milliseconds>(*until - now) : milliseconds(0);
        return std::max(rest, milliseconds(0));
    };
    out.hold_left = left(verdict_.held_until());
    out.ttl_left = left(expires_);
    return out;
}

}  // namespace twinsite::gslb::health
