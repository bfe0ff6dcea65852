// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::gslb::group {

/// What can be wrong with a bundle of intent, or with the files that keep it.
enum class Errc {
    bad_bundle = 1,   ///< the content is no list of files
    bad_path,         ///< a file's path is empty, absolute, hidden, or climbs out of its folder
    too_large,        ///< the content is larger than wire::group::kMaxIntentBytes
    wrong_content,    ///< the content is not what the header says
    not_signed,       ///< the signature is not that of a gslb or operator of our authority
    bad_book,         ///< intent.json cannot be read
    missing_version,  ///< this version is not kept any more
};

base::Error make_error_code(Errc value) noexcept;

}  // namespace twinsite::gslb::group

TWINSITE_ERROR_ENUM(twinsite::gslb::group::Errc);
