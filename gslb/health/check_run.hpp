// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gslb/health/check.hpp"
#include "gslb/health/combine.hpp"
#include "gslb/health/schedule.hpp"
#include "gslb/health/verdict_file.hpp"
#include "probe/probe.hpp"

namespace twinsite::gslb::health {

/// A state told from outside.
struct Pushed {
    State state = State::unknown;     ///< up or down; unknown takes back what was told before.
    std::chrono::milliseconds ttl{};  ///< From when it was found; then it is unknown again.
    std::chrono::milliseconds age{};  ///< Since it was found.
    std::string cause;                ///< Why down, for people.
};

/// One distinct check while it runs: what it asks and what came back so far. No I/O but the probe,
/// which somebody else runs.
class CheckRun {
public:
    CheckRun(Check check, std::unique_ptr<probe::Probe> probe)
        : check_(std::move(check)), probe_(std::move(probe)), verdict_(check_.thresholds) {}

    /// Goes on from another run of the same question.
    void inherit(const CheckRun& other);
    /// Starts from the verdict of an earlier process. One that is older than `trusted_age` answers
    /// until the first result, which then decides alone.
    void restore(
        const SavedVerdict& saved, Clock::time_point now, std::chrono::milliseconds trusted_age
    );
    /// Takes a result. True when `health` changed.
    bool take(const probe::Outcome& outcome, Clock::time_point now);
    /// Takes a state from outside: it holds at once, thresholds play no part. True when `health`
    /// changed.
    bool push(const Pushed& pushed, Clock::time_point now);
    /// Ends a pushed state that is too old by now. True when `health` changed.
    bool expire(Clock::time_point now);
    /// When the pushed state ends; nullopt when there is none.
    std::optional<Clock::time_point> expires() const { return expires_; }
    /// A run begins, whatever comes out.
    void note_attempt(Clock::time_point now) { last_attempt_ = now; }

    const Check& check() const { return check_; }
    bool is_pushed() const { return check_.question.is_pushed(); }
    probe::Probe& probe() { return *probe_; }
    Health health() const;
    /// A result of this process is known.
    bool has_result() const { return has_result_; }
    std::optional<std::chrono::milliseconds> age(Clock::time_point now) const;
    std::optional<Clock::time_point> last_result() const { return last_result_; }
    std::optional<Clock::time_point> last_attempt() const { return last_attempt_; }
    const std::string& last_error() const { return last_error_; }
    std::chrono::microseconds latency() const { return latency_; }
    std::uint64_t successes() const { return successes_; }
    std::uint64_t failures() const { return failures_; }
    /// For the next start; nullopt when nothing is known.
    std::optional<SavedVerdict> to_save(Clock::time_point now) const;

private:
    const Check check_;
    const std::unique_ptr<probe::Probe> probe_;
    Verdict verdict_;
    State remembered_ = State::unknown;  ///< Answers as long as the verdict is unknown.
    bool restored_ = false;
    bool has_result_ = false;
    std::optional<Clock::time_point> last_result_;
    std::optional<Clock::time_point> last_attempt_;
    std::optional<Clock::time_point> expires_;  ///< Pushed states only.
    std::string last_error_;
    std::chrono::microseconds latency_{};
    std::uint64_t successes_ = 0;
    std::uint64_t failures_ = 0;
};

}  // namespace twinsite::gslb::health
