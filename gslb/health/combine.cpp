// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/combine.hpp"

#include <algorithm>
#include <bit>

namespace twinsite::gslb::health {

namespace {

State combined_state(const std::vector<Health>& checks) {
    const auto has = [&checks](State state) {
        return std::any_of(checks.begin(), checks.end(), [state](const Health& check) {
            return check.state == state;
        });
    };
    if (has(State::down)) return State::down;
    return has(State::unknown) ? State::unknown : State::up;
}

/// With two checks down no single result changes anything: only the down ones count, and only
/// when there is one of them.
bool combined_pending(const std::vector<Health>& checks, State state) {
    if (state != State::down) {
        return std::any_of(checks.begin(), checks.end(), [](const Health& check) {
            return check.pending;
        });
    }
    const auto down = [](const Health& check) { return check.state == State::down; };
    if (std::count_if(checks.begin(), checks.end(), down) > 1) return false;
    return std::find_if(checks.begin(), checks.end(), down)->pending;
}

/// Down: every down check must change first. Else the first check that changes may be enough.
std::uint32_t combined_soonest(const std::vector<Health>& checks, State state) {
    std::uint32_t slowest_down = 0;
    std::uint32_t first = Health::kNever;
    for (const auto& check : checks) {
        first = std::min(first, check.soonest_change_s);
        if (check.state == State::down)
            slowest_down = std::max(slowest_down, check.soonest_change_s);
    }
    return state == State::down ? slowest_down : first;
}

}  // namespace

std::uint32_t soonest_seconds(std::chrono::milliseconds time) {
    if (time.count() < 1000) return 0;
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    return std::bit_floor(static_cast<std::uint32_t>(std::min(time.count() / 1000, kMost)));
}

Health combine(const std::vector<Health>& checks) {
    Health out;
    out.state = combined_state(checks);
    out.pending = combined_pending(checks, out.state);
    out.soonest_change_s = combined_soonest(checks, out.state);
    out.restored = std::any_of(checks.begin(), checks.end(), [](const Health& check) {
        return check.restored;
    });
    return out;
}

}  // namespace twinsite::gslb::health
