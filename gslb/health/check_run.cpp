// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check_run.hpp"

namespace twinsite::gslb::health {

using std::chrono::milliseconds;

void CheckRun::inherit(const CheckRun& other) {
    verdict_ = Verdict(check_.thresholds, other.verdict_.state());
    remembered_ = other.remembered_;
    restored_ = other.restored_;
    has_result_ = other.has_result_;
    last_result_ = other.last_result_;
    last_error_ = other.last_error_;
    latency_ = other.latency_;
    successes_ = other.successes_;
    failures_ = other.failures_;
}

void CheckRun::restore(const SavedVerdict& saved, Clock::time_point now, milliseconds trusted_age) {
    if (saved.age <= trusted_age) verdict_ = Verdict(check_.thresholds, saved.state);
    remembered_ = saved.state;
    restored_ = true;
    last_result_ = now - saved.age;
}

bool CheckRun::take(const probe::Outcome& outcome, Clock::time_point now) {
    const auto before = health();
    verdict_.feed(outcome.ok);
    remembered_ = State::unknown;
    restored_ = false;
    has_result_ = true;
    last_result_ = now;
    last_error_ = outcome.error;
    latency_ = outcome.latency;
    ++(outcome.ok ? successes_ : failures_);
    return health() != before;
}

Health CheckRun::health() const {
    const bool decided = verdict_.state() != State::unknown;
    return {decided ? verdict_.state() : remembered_, verdict_.pending(), restored_};
}

std::optional<milliseconds> CheckRun::age(Clock::time_point now) const {
    if (!last_result_) return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(now - *last_result_);
}

}  // namespace twinsite::gslb::health
