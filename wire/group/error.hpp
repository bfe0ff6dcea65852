// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::wire::group {

/// What can be wrong with what another gslb of the group says.
enum class Errc {
    frame_too_large = 1,  ///< the length says more than kMaxFrameBytes, or less than a header
    unknown_version,      ///< outside the versions that were agreed
    bad_number,           ///< a number is out of its range
    bad_hash,             ///< not 64 hexadecimal digits
};

base::Error make_error_code(Errc value) noexcept;

}  // namespace twinsite::wire::group

TWINSITE_ERROR_ENUM(twinsite::wire::group::Errc);
