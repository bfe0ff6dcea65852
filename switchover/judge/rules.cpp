// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/rules.hpp"

#include "base/config/cursor.hpp"

namespace twinsite::switchover::judge {

using namespace std::chrono_literals;

Rules parse_rules(base::config::Cursor& at) {
    Rules out;
    const auto time = [&at](std::string_view key, Duration low, Duration high, Duration fallback) {
        return at.in_range<Duration>(key, low, high, fallback);
    };
    out.tick = time("tick", 50ms, 10s, out.tick);
    out.stale_intervals = at.in_range<unsigned>("stale_intervals", 2, 10, out.stale_intervals);
    out.first_report = time("first_report", 1s, 1h, out.first_report);
    // Not below a second: a lost packet and its repetition must fit in.
    out.site_down_for = time("site_down_for", 1s, 1h, out.site_down_for);
    out.recover_for = time("recover_for", 0ms, 1h, out.recover_for);
    out.business_hold = time("business_hold", 0ms, 1h, out.business_hold);
    out.process_for = time("process_for", 0ms, 1h, out.process_for);
    out.member_for = time("member_for", 0ms, 1h, out.member_for);
    out.host_for = time("host_for", 0ms, 1h, out.host_for);
    out.flap_period = time("flap_period", 100ms, 1h, out.flap_period);
    out.disk_full_percent =
        at.in_range<double>("disk_full_percent", 50, 99.9, out.disk_full_percent);
    out.memory_full_percent =
        at.in_range<double>("memory_full_percent", 50, 99.9, out.memory_full_percent);
    out.business_floor = at.in_range<double>("business_floor", 0, 1, out.business_floor);
    out.business_min_volume =
        at.in_range<double>("business_min_volume", 1, 1e9, out.business_min_volume);
    out.business_window = time("business_window", 1s, 1h, out.business_window);
    at.finish();
    return out;
}

}  // namespace twinsite::switchover::judge
