// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace twinsite::wire::contract {

/// The outcome of a look at who asks.
enum class Access : std::uint8_t {
    allowed,
    no_identity,  ///< the certificate names nobody of ours
    wrong_role,
};

/// Whether the holder of a certificate may use a route of the control API of gslb or slb.
/// Operators may all; switchover reads everything and writes what is fenced (desired, release);
/// other machines see only whether we are well. `identity` is the certificate's URI; `method` and
/// `pattern` are those of the route, not of the request.
Access control_access(std::string_view identity, std::string_view method, std::string_view pattern);

/// "allowed", "no_identity" or "wrong_role".
const char* to_string(Access access) noexcept;

}  // namespace twinsite::wire::contract
