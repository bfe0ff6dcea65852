// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "gslb/control/overrides.hpp"

/// overrides.json: what must survive a restart. Expiry stands there as wall time, since the
/// monotonic clock starts anew with the machine.
namespace twinsite::gslb::control {

std::string encode_overrides(const Overrides& overrides, const Moment& now);

/// Entries whose time has passed are left out. Text that is not such a file is an error as a whole:
/// a half-read state would silently put traffic back.
base::Result<Overrides> decode_overrides(std::string_view text, const Moment& now);

/// RFC 3339 in UTC with whole seconds, "2026-11-30T14:00:00Z".
std::string format_wall_time(std::chrono::system_clock::time_point time);
/// The inverse of format_wall_time; nullopt for any other form.
std::optional<std::chrono::system_clock::time_point> parse_wall_time(std::string_view text);

}  // namespace twinsite::gslb::control
