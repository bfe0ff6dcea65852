// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "switchover/model/time.hpp"

namespace twinsite::base::config {
class Cursor;
}

namespace twinsite::switchover::judge {

using model::Duration;
using model::Time;

/// Which way is bad.
enum class Side : std::uint8_t { below, above };

/// What stands for a value that stopped coming.
enum class NoData : std::uint8_t {
    keep,  ///< the last judgement stays for `no_data_after` once more, then nothing is known
    fail,  ///< counts as bad
    ok,    ///< counts as good
};

/// When a row of samples is bad for good: at least `m` of the last `n` samples beyond `enter`, for
/// `hold` since the first of them. It is over when as many of the last `n` are not beyond `leave`.
struct ConditionRule {
    Side side = Side::below;
    double enter = 0;  ///< bad when the value is strictly beyond this
    double leave =
        0;  ///< good again when the value is not beyond this; on the good side of `enter`
    Duration hold{30'000};  ///< `for`; 0 = at once
    unsigned m = 3;         ///< 1..n
    unsigned n = 3;         ///< 1..8
    double min_volume = 0;  ///< a sample with fewer attempts is not judged (INSUFFICIENT)
    NoData no_data = NoData::keep;
    Duration no_data_after{30'000};  ///< a value older than this is no value
    Duration grace{0};               ///< after an action, samples this young are not judged
};

/// How the judge judges; the `judge` part of the configuration.
struct Rules {
    Duration tick{500};            ///< how often `evaluate` is called
    unsigned stale_intervals = 3;  ///< a report counts for so many of its intervals
    /// The interval that a sender gives counts up to this: one that claims more than it may is
    /// silent all the sooner. Not a key: the configuration takes it from the agents' interval.
    Duration longest_interval{600'000};
    Duration first_report{30'000};     ///< who was never heard counts as silent after this
    Duration site_down_for{60'000};    ///< evidence must be complete for so long
    Duration recover_for{10'000};      ///< good for so long before FAILED becomes OK
    Duration business_hold{3'000};     ///< good answers for so long before business counts as good
    Duration process_for{30'000};      ///< a process must be down for so long
    Duration member_for{5'000};        ///< a member must be unreachable for so long
    Duration host_for{30'000};         ///< disk and memory rules of a host
    Duration flap_period{10'000};      ///< one judged sample per period, and one per change
    double disk_full_percent = 98;     ///< enter; leave is 3 lower
    double memory_full_percent = 98;   ///< warns only; leave is 3 lower
    double business_floor = 0.95;      ///< share of good answers, with volume
    double business_min_volume = 20;   ///< answers in the window
    Duration business_window{60'000};  ///< of the share
};

/// Reads the map `judge`: tick, stale_intervals, first_report, site_down_for, recover_for,
/// business_hold, process_for, member_for, host_for, flap_period, disk_full_percent,
/// memory_full_percent, business_floor, business_min_volume, business_window; finishes it.
Rules parse_rules(base::config::Cursor& at);

}  // namespace twinsite::switchover::judge
