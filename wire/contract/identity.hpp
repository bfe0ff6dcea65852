// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace twinsite::wire::contract {

/// Who a machine or person is: the URI "twinsite://SITE/ROLE/NAME" in its certificate. The parts
/// are words (see `is_word`); the role is one of those that `is_role` knows.
struct Identity {
    std::string site;
    std::string role;
    std::string name;

    auto operator<=>(const Identity&) const = default;
};

/// 1..63 of a-z, 0-9 and "-".
bool is_word(std::string_view text);
/// agent, monitor, switchover, gslb, slb, operator or blade.
bool is_role(std::string_view text);

/// nullopt for anything but a complete, valid URI of this form.
std::optional<Identity> parse_identity(std::string_view uri);
/// "twinsite://SITE/ROLE/NAME"
std::string to_uri(const Identity& identity);

/// A host as other machines name it: "SITE/NAME".
std::string host_id(std::string_view site, std::string_view name);
/// The identity of the agent with this host id; nullopt unless it is "SITE/NAME".
std::optional<Identity> agent_of(std::string_view host_id);

}  // namespace twinsite::wire::contract
