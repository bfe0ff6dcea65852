// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"

namespace twinsite::gslb::control {

/// What can go wrong with the state kept on disk.
enum class Errc {
    not_json = 1,     ///< the file is not JSON, or has another shape
    unknown_version,  ///< written by a newer program
};

boost::system::error_code make_error_code(Errc value) noexcept;

}  // namespace twinsite::gslb::control

TWINSITE_ERROR_ENUM(twinsite::gslb::control::Errc);
