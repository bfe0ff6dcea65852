// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace twinsite::monitor::report {

/// The two clocks of a machine. Intervals and ages come from the monotonic one only; the wall clock
/// may jump and is for people.
struct Clocks {
    std::function<std::chrono::milliseconds()> monotonic = [] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now().time_since_epoch()
        );
    };
    std::function<std::uint64_t()> wall_ms = [] {
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                              std::chrono::system_clock::now().time_since_epoch()
        )
                                              .count());
    };
};

}  // namespace twinsite::monitor::report
