// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "switchover/judge/rules.hpp"
#include "switchover/model/gate.hpp"

/// How gates are worded.
namespace twinsite::switchover::judge {

/// "850 ms", "2.5 s", "45 s", "3 min".
std::string spell(Duration duration);
/// "0.94", "98", "1200": at most three digits after the point.
std::string spell(double value);
/// "2 of 3".
std::string of(std::uint64_t part, std::uint64_t whole);
/// Age of what was measured then; nullopt when never, 0 when it is not yet.
std::optional<std::uint64_t> age(std::optional<Time> measured, Time now);

model::Gate make_gate(
    std::string_view code, bool ok, std::string have, std::string need, std::string text
);

}  // namespace twinsite::switchover::judge
