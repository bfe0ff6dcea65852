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

    const Check& check() const { return check_; }
    probe::Probe& probe() { return *probe_; }
    Health health() const;
    /// A result of this process is known.
    bool has_result() const { return has_result_; }
    std::optional<std::chrono::milliseconds> age(Clock::time_point now) const;
    const std::string& last_error() const { return last_error_; }
    std::chrono::microseconds latency() const { return latency_; }
    std::uint64_t successes() const { return successes_; }
    std::uint64_t failures() const { return failures_; }

private:
    const Check check_;
    const std::unique_ptr<probe::Probe> probe_;
    Verdict verdict_;
    State remembered_ = State::unknown;  ///< Answers as long as the verdict is unknown.
    bool restored_ = false;
    bool has_result_ = false;
    std::optional<Clock::time_point> last_result_;
    std::string last_error_;
    std::chrono::microseconds latency_{};
    std::uint64_t successes_ = 0;
    std::uint64_t failures_ = 0;
};

}  // namespace twinsite::gslb::health
