// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::wire::diameter {

/// What can be wrong with received bytes.
enum class Errc {
    bad_version = 1,   ///< not Diameter version 1
    bad_length,        ///< message length below 20, or not a multiple of 4 (RFC 6733 section 3)
    too_long,          ///< message length above our own limit
    bad_header_bits,   ///< request with the error bit, or an answer with the T bit
    bad_avp_length,    ///< AVP length below its header, or beyond the message or group
    missing_avp,       ///< an AVP that the command requires is absent
    bad_avp_value,     ///< value has the wrong size for its type
    too_many_entries,  ///< more repetitions than we are willing to read
};

base::Error make_error_code(Errc value) noexcept;

/// The Result-Code that tells the sender, for example 5015 for `bad_length`.
std::uint32_t result_code_of(Errc value) noexcept;

}  // namespace twinsite::wire::diameter

TWINSITE_ERROR_ENUM(twinsite::wire::diameter::Errc);
