// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace twinsite::base::crypto {

/// `bytes` random bytes as URL-safe base64 without padding: 32 bytes give 43 characters. Aborts
/// when the system has no randomness: nothing secret can be made then.
std::string random_token(std::size_t bytes = 32);

/// Equality in a time that tells nothing but the sizes.
bool same_secret(std::string_view a, std::string_view b);

/// A password as it may be stored: scrypt (RFC 7914) with its cost and a salt of its own, as one
/// line of printable text. Takes some 100 ms and 32 MiB on purpose. Errors: failed.
Result<std::string> hash_password(std::string_view password);
/// False also for a `hash` that is none of ours. A hash that asks for more than 256 MiB is refused.
bool check_password(std::string_view password, std::string_view hash);
/// As long as `check_password` takes, and always false: for users that do not exist.
bool check_no_password(std::string_view password);

}  // namespace twinsite::base::crypto
