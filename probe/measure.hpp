// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/error/result.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Measures one run from its construction and makes its outcome.
class Stopwatch {
public:
    Outcome good() const { return {true, {}, elapsed()}; }
    Outcome bad(std::string error) const { return {false, std::move(error), elapsed()}; }
    /// The run ended with `failure`, which may be our own fault.
    Outcome failed(const base::Error& failure) const;

private:
    using Clock = std::chrono::steady_clock;
    std::chrono::microseconds elapsed() const {
        return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
    }
    Clock::time_point start_ = Clock::now();
};

/// Whether this host ran out of descriptors, memory or buffers: no fault of who was asked.
bool is_local_fault(const base::Error& failure);

/// "timed out" and "connection refused" in our own words, the same on every system; else the
/// system's.
std::string words_for(const base::Error& failure);

}  // namespace twinsite::probe
