// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "switchover/api/backend.hpp"

namespace twinsite::switchover::api {

enum class Role : std::uint8_t { viewer, operator_, admin };
/// "viewer", "operator", "admin".
std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);
/// Everybody but a viewer.
bool may_change(Role role);

/// Who sent a request, proven.
struct Caller {
    std::string who;   ///< Identity URI, or the name of a user.
    std::string from;  ///< Address.
    Role role = Role::viewer;
    // Of a session of the console; empty for a certificate.
    std::string session;  ///< Digest of its token.
    std::string csrf;
    bool must_change = false;

    Actor actor() const { return {who, from}; }
};

}  // namespace twinsite::switchover::api
