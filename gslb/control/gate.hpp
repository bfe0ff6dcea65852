// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/http/router.hpp"

namespace twinsite::gslb::control {

/// Why something was not done for a caller of the control API.
enum class RefusalCause : std::uint8_t {
    no_identity,
    wrong_role,
    malformed,
    stale_fence,
    last_site,
};
inline constexpr std::array<RefusalCause, 5> kRefusalCauses{
    RefusalCause::no_identity,
    RefusalCause::wrong_role,
    RefusalCause::malformed,
    RefusalCause::stale_fence,
    RefusalCause::last_site,
};
const char* to_string(RefusalCause cause) noexcept;

/// How often the control API refused, by cause. Any thread.
class RefusalCounts {
public:
    void add(RefusalCause cause) { counts_[static_cast<std::size_t>(cause)].fetch_add(1); }
    std::uint64_t of(RefusalCause cause) const {
        return counts_[static_cast<std::size_t>(cause)].load();
    }

private:
    std::array<std::atomic<std::uint64_t>, kRefusalCauses.size()> counts_{};
};

/// Counts a refusal (unless `counts` is null) and writes it to the log, with who asked for what.
void note_refusal(
    RefusalCounts* counts,
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

}  // namespace twinsite::gslb::control
