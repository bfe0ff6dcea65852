// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/combine.hpp"

#include <algorithm>

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

}  // namespace

Health combine(const std::vector<Health>& checks) {
    Health out;
    out.state = combined_state(checks);
    out.pending = combined_pending(checks, out.state);
    out.restored = std::any_of(checks.begin(), checks.end(), [](const Health& check) {
        return check.restored;
    });
    return out;
}

}  // namespace twinsite::gslb::health
