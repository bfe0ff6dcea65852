// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/access.hpp"

#include "wire/contract/identity.hpp"

namespace twinsite::wire::contract {

Access control_access(
    std::string_view identity, std::string_view method, std::string_view pattern
) {
    const auto who = parse_identity(identity);
    if (!who) return Access::no_identity;
    if (who->role == "operator") return Access::allowed;
    const bool reads = method == "GET";
    if (reads && (pattern == "/healthz" || pattern == "/readyz" || pattern == "/metrics"))
        return Access::allowed;
    const bool fenced = pattern == "/api/v1/desired" || pattern == "/api/v1/release";
    return who->role == "switchover" && (reads || fenced) ? Access::allowed : Access::wrong_role;
}

const char* to_string(Access access) noexcept {
    switch (access) {
        case Access::allowed:
            return "allowed";
        case Access::no_identity:
            return "no_identity";
        case Access::wrong_role:
            break;
    }
    return "wrong_role";
}

}  // namespace twinsite::wire::contract
