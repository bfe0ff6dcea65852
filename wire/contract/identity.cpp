// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/identity.hpp"

#include <algorithm>
#include <array>

namespace twinsite::wire::contract {
namespace {

constexpr std::string_view kScheme = "twinsite://";
constexpr std::size_t kMaxWordBytes = 63;
constexpr std::array<std::string_view, 7> kRoles = {
    "agent", "monitor", "switchover", "gslb", "slb", "operator", "blade"
};

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= kMaxWordBytes &&
           std::all_of(text.begin(), text.end(), is_word_character);
}

bool is_role(std::string_view text) {
    return std::find(kRoles.begin(), kRoles.end(), text) != kRoles.end();
}

std::optional<Identity> parse_identity(std::string_view uri) {
    if (!uri.starts_with(kScheme)) return std::nullopt;
    uri.remove_prefix(kScheme.size());
    const auto first = uri.find('/');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = uri.find('/', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto site = uri.substr(0, first);
    const auto role = uri.substr(first + 1, second - first - 1);
    const auto name = uri.substr(second + 1);
    if (!is_word(site) || !is_role(role) || !is_word(name)) return std::nullopt;
    return Identity{std::string(site), std::string(role), std::string(name)};
}

std::string to_uri(const Identity& identity) {
    return std::string(kScheme) + identity.site + "/" + identity.role + "/" + identity.name;
}

std::string host_id(std::string_view site, std::string_view name) {
    return std::string(site) + "/" + std::string(name);
}

std::optional<Identity> agent_of(std::string_view host_id) {
    const auto slash = host_id.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto site = host_id.substr(0, slash);
    const auto name = host_id.substr(slash + 1);
    if (!is_word(site) || !is_word(name)) return std::nullopt;
    return Identity{std::string(site), "agent", std::string(name)};
}

}  // namespace twinsite::wire::contract
