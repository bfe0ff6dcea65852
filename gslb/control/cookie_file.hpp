// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/dns/cookie.hpp"

/// The cookie secrets as they lie on disk (`cookie-secrets` in the folder of the state, mode 0600):
/// a line of 32 hex digits for the current one, then perhaps one for the other.
namespace twinsite::gslb::control {

/// 32 hex digits of either case.
std::optional<wire::dns::CookieSecret> parse_cookie_secret(std::string_view text);
std::string cookie_secret_text(const wire::dns::CookieSecret& secret);

/// nullopt for anything but one or two such lines.
std::optional<wire::dns::CookieSecrets> decode_cookie_secrets(std::string_view text);
std::string encode_cookie_secrets(const wire::dns::CookieSecrets& secrets);

}  // namespace twinsite::gslb::control
