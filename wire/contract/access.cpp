// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/access.hpp"

#include "wire/contract/identity.hpp"

namespace twinsite::wire::contract {
namespace {

bool is_measurement(std::string_view pattern) {
    return pattern == "/api/v1/checks" || pattern == "/api/v1/votes" ||
           pattern == "/api/v1/facts" || pattern == "/api/v1/load" || pattern == "/api/v1/rtt";
}

bool measures(std::string_view role) {
    return role == "agent" || role == "monitor" || role == "gslb" || role == "switchover";
}

}  // namespace

Access control_access(
    std::string_view identity, std::string_view method, std::string_view pattern
) {
    const auto who = parse_identity(identity);
    if (!who) return Access::no_identity;
    if (who->role == "operator") return Access::allowed;
    const bool reads = method == "GET";
    if (reads && (pattern == "/healthz" || pattern == "/readyz" || pattern == "/metrics"))
        return Access::allowed;
    // What a machine sees and measures is welcome from all who measure; each is one voice among
    // others.
    if (method == "PUT" && is_measurement(pattern) && measures(who->role)) return Access::allowed;
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
