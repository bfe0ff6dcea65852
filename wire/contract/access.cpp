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
    // What a machine sees and measures is welcome; it counts as one voice among others.
    const bool tells =
        method == "PUT" && (pattern == "/api/v1/checks" || pattern == "/api/v1/votes");
    if (tells && (who->role == "agent" || who->role == "monitor" || who->role == "gslb"))
        return Access::allowed;
    const bool fenced = pattern == "/api/v1/desired" || pattern == "/api/v1/release";
    // What is measured is told by whoever measures.
    const bool tells = method == "PUT" && (pattern == "/api/v1/facts" ||
                                           pattern == "/api/v1/load" || pattern == "/api/v1/rtt");
    const bool measures = who->role == "agent" || who->role == "monitor" || who->role == "gslb" ||
                          who->role == "switchover";
    if (tells && measures) return Access::allowed;
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
