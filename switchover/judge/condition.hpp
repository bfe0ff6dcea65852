// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "switchover/judge/rules.hpp"

namespace twinsite::switchover::judge {

enum class ConditionState : std::uint8_t {
    unknown,  ///< no judged sample yet, or none for too long
    clear,
    pending,  ///< the newest sample is bad, or M of N are but not yet for `hold`
    firing,
    insufficient,  ///< samples come, all below the minimum volume
};
/// "UNKNOWN", "CLEAR", "PENDING", "FIRING", "INSUFFICIENT".
const char* to_string(ConditionState state) noexcept;

/// One ConditionRule over one row of samples. `hold` is counted from the first bad sample to the
/// newest bad one, never by extrapolation: silence does not make it fire (but see NoData::fail).
class Condition {
public:
    /// `rule` outlives this.
    explicit Condition(const ConditionRule& rule) : rule_(&rule) {}

    /// A value measured at that time. False when it is not judged: not newer than the last one,
    /// below the minimum volume, or within the grace after an action.
    bool sample(double value, Time measured, double volume = 0);
    /// The judgement now.
    ConditionState evaluate(Time now);
    /// Counters and timers start anew; samples before `now` + grace do not count.
    void restart(Time now);

    const ConditionRule& rule() const { return *rule_; }
    /// The newest sample, judged or not.
    std::optional<Time> measured() const { return newest_; }
    double value() const { return value_; }
    double volume() const { return volume_; }
    /// Bad ones among the last `n` judged samples.
    unsigned bad() const;
    /// Since when `m` of `n` are bad, told from the first bad one.
    std::optional<Time> since() const { return since_; }
    /// What `hold` is compared with.
    Duration lasted() const;

private:
    bool beyond(double value, double limit) const;
    void judge_window();
    ConditionState without_data(Time now, Time last);
    Time first_bad() const;

    const ConditionRule* rule_;
    double value_ = 0;
    double volume_ = 0;
    std::optional<Time> newest_;
    std::optional<Time> not_before_;
    // Judged samples, bit 0 and slot 0 newest.
    std::uint8_t count_ = 0;
    std::uint8_t beyond_enter_ = 0;
    std::uint8_t beyond_leave_ = 0;
    bool firing_ = false;
    std::array<Time, 8> at_{};
    std::optional<Time> since_;
    Time last_bad_{};
};

}  // namespace twinsite::switchover::judge
