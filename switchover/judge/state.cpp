// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/state.hpp"

#include <cstddef>

namespace twinsite::switchover::judge {

namespace {

constexpr auto unknown = State::unknown;
constexpr auto ok = State::ok;
constexpr auto suspect = State::suspect;
constexpr auto failed = State::failed;
constexpr auto recovering = State::recovering;

/// Rows: State. Columns: Event. FAILED is left only by good evidence, and OK is reached from it
/// only through RECOVERING: neither silence nor our own action makes a broken thing well.
constexpr std::array<std::array<State, kAllEvents.size()>, kAllStates.size()> kTable{{
    //              good        confirmed   bad         confirmed bad  no data     blind       acted
    /* UNKNOWN    */ {ok, ok, suspect, failed, unknown, unknown, unknown},
    /* OK         */ {ok, ok, suspect, failed, unknown, unknown, ok},
    /* SUSPECT    */ {ok, ok, suspect, failed, unknown, unknown, suspect},
    /* FAILED     */ {recovering, recovering, failed, failed, failed, failed, failed},
    /* RECOVERING */ {recovering, ok, recovering, failed, recovering, recovering, recovering},
}};

constexpr std::array<std::string_view, kAllStates.size()> kStateWords{
    "UNKNOWN", "OK", "SUSPECT", "FAILED", "RECOVERING"
};
constexpr std::array<std::string_view, kAllEvents.size()> kEventWords{
    "good", "confirmed good", "bad", "confirmed bad", "no data", "blind", "acted"
};

}  // namespace

std::string_view to_string(State state) noexcept {
    return kStateWords[static_cast<std::size_t>(state)];
}

std::string_view to_string(Event event) noexcept {
    return kEventWords[static_cast<std::size_t>(event)];
}

State next(State state, Event event) noexcept {
    return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

}  // namespace twinsite::switchover::judge
