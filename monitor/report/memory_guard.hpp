// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/log/log.hpp"
#include "monitor/report/outbox.hpp"

namespace twinsite::monitor::report {

/// Bounds on our own memory: a monitor must not become the fault that it watches for.
struct MemoryLimits {
    std::uint64_t soft_bytes = 64ULL * 1024 * 1024;  ///< Above: the backlog is dropped.
    std::uint64_t hard_bytes = 96ULL * 1024 * 1024;  ///< Above: exit 75, to be started again.
};
/// Exit code of a program that has grown too large (EX_TEMPFAIL).
inline constexpr int kExitTooLarge = 75;

/// Looks at our memory and keeps it within its limits.
class MemoryGuard {
public:
    /// `too_large` is called above the hard limit, after what waits was saved. `outbox` outlives
    /// this.
    MemoryGuard(MemoryLimits limits, Outbox& outbox, std::function<void()> too_large)
        : limits_(limits), outbox_(outbox), too_large_(std::move(too_large)) {}

    /// To be called now and then with the resident memory.
    void look(std::uint64_t rss_bytes);

private:
    const MemoryLimits limits_;
    Outbox& outbox_;
    const std::function<void()> too_large_;
    base::log::Throttle soft_limit_{std::chrono::minutes(10)};
};

}  // namespace twinsite::monitor::report
