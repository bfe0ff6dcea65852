// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::gslb::zone {

enum class Errc {
    truncated = 1,  ///< the data ends inside a field
    no_secret,      ///< the private key is not here
    not_in_chain,   ///< no NSEC or NSEC3 of this name
};

base::Error make_error_code(Errc value) noexcept;

}  // namespace twinsite::gslb::zone

TWINSITE_ERROR_ENUM(twinsite::gslb::zone::Errc);
