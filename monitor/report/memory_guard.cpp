// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/memory_guard.hpp"

#include <malloc.h>

namespace twinsite::monitor::report {

namespace log = base::log;

void MemoryGuard::look(std::uint64_t rss_bytes) {
    if (rss_bytes > limits_.hard_bytes) {
        outbox_.save();
        log::event(
            log::Level::error,
            "memory_hard_limit",
            {{"rss_bytes", rss_bytes}, {"limit_bytes", limits_.hard_bytes}}
        );
        return too_large_();
    }
    if (rss_bytes <= limits_.soft_bytes) return;
    const auto freed = outbox_.drop_backlog();
    ::malloc_trim(0);
    std::uint64_t held_back = 0;
    if (soft_limit_.allow(log::Throttle::Time::clock::now(), held_back))
        log::event(
            log::Level::warning,
            "memory_soft_limit",
            {{"rss_bytes", rss_bytes},
             {"limit_bytes", limits_.soft_bytes},
             {"dropped_bytes", freed},
             {"held_back", held_back}}
        );
}

}  // namespace twinsite::monitor::report
