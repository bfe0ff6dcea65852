// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/caller.hpp"

namespace twinsite::switchover::api {

std::string_view to_string(Role role) {
    switch (role) {
        case Role::viewer:
            return "viewer";
        case Role::operator_:
            return "operator";
        case Role::admin:
            return "admin";
    }
    return "viewer";
}

std::optional<Role> parse_role(std::string_view text) {
    for (const auto role : {Role::viewer, Role::operator_, Role::admin})
        if (text == to_string(role)) return role;
    return std::nullopt;
}

bool may_change(Role role) {
    return role != Role::viewer;
}

}  // namespace twinsite::switchover::api
