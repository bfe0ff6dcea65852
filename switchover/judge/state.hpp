// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace twinsite::switchover::judge {

/// What is believed of an entity (host, process, site, member, service).
enum class State : std::uint8_t {
    unknown,  ///< nothing to go by: just started, silent, or seen only while blind
    ok,
    suspect,     ///< bad signs, but the rule for FAILED is not met
    failed,      ///< the rule is met; left only by good evidence
    recovering,  ///< good again after FAILED, not yet for long enough
};
inline constexpr std::array kAllStates{
    State::unknown, State::ok, State::suspect, State::failed, State::recovering
};
/// "UNKNOWN", "OK", "SUSPECT", "FAILED", "RECOVERING".
std::string_view to_string(State state) noexcept;

/// What one evaluation found out about an entity.
enum class Event : std::uint8_t {
    good,            ///< good, not yet for `recover_for`
    confirmed_good,  ///< good for `recover_for` without a break
    bad,             ///< a bad sign; the rule for FAILED is not met
    confirmed_bad,   ///< the rule for FAILED is met
    no_data,         ///< nothing fresh to judge by
    blind,           ///< looks bad, but the judge does not trust its own view
    acted,           ///< something was done to it: counters and timers start anew
};
inline constexpr std::array kAllEvents{
    Event::good,
    Event::confirmed_good,
    Event::bad,
    Event::confirmed_bad,
    Event::no_data,
    Event::blind,
    Event::acted
};
std::string_view to_string(Event event) noexcept;

/// The table: every (state, event) pair has an answer.
State next(State state, Event event) noexcept;

}  // namespace twinsite::switchover::judge
