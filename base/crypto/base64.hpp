// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Base64 (RFC 4648). Pure.
namespace twinsite::base::crypto {

/// Section 4, with padding.
std::string to_base64(std::string_view bytes);
/// Section 4, strict: padding needed, no blanks, unused bits zero. nullopt for anything else.
std::optional<std::string> from_base64(std::string_view text);
/// Section 5 (safe in URLs and file names), without padding.
std::string to_base64url(std::string_view bytes);

}  // namespace twinsite::base::crypto
