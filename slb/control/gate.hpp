// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/http/router.hpp"

namespace twinsite::slb::control {

/// Why something was not done for a caller of the control API.
enum class RefusalCause : std::uint8_t { no_identity, wrong_role, malformed, stale_fence };
inline constexpr std::array<RefusalCause, 4> kRefusalCauses{
    RefusalCause::no_identity,
    RefusalCause::wrong_role,
    RefusalCause::malformed,
    RefusalCause::stale_fence,
};
const char* to_string(RefusalCause cause) noexcept;

/// How often the control API refused. Main thread.
struct RefusalCounts {
    std::array<std::uint64_t, kRefusalCauses.size()> counts{};
    std::uint64_t of(RefusalCause cause) const { return counts[static_cast<std::size_t>(cause)]; }
};

/// Counts a refusal and writes it to the log, with who asked for what.
void note_refusal(
    RefusalCounts& counts,
    RefusalCause cause,
    const base::http::Request& request,
    std::string_view detail
);

/// Stands before each route of a listener: gives the handler that is put in the place of `handler`.
using Gate = std::function<
    base::http::Handler(std::string method, std::string pattern, base::http::Handler handler)>;

/// For the Unix socket: its file's mode says who may come.
Gate open_gate();
/// For mutual TLS: asks wire::contract::control_access; others get 403. `counts` outlives it.
Gate role_gate(RefusalCounts& counts);

}  // namespace twinsite::slb::control
