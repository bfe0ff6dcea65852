// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::base::http {

enum class Errc {
    malformed = 1,
    header_too_large,
    body_too_large,
    closed_early,
    bad_tls_file,
    bad_socket_path,
    wrong_identity,  ///< The server is somebody else than expected.
};

const boost::system::error_category& category() noexcept;
inline Error make_error_code(Errc value) {
    return {static_cast<int>(value), category()};
}

}  // namespace twinsite::base::http

TWINSITE_ERROR_ENUM(twinsite::base::http::Errc);
