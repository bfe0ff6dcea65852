// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::wire::contract {

/// What can be wrong with a message between our programs, or with a file that keeps one.
enum class Errc {
    not_json = 1,    ///< the text is not a JSON object
    unknown_schema,  ///< written by a newer program
    too_large,       ///< more bytes or more entries than we are willing to read
    bad_fence,       ///< no fence, or not two whole numbers
    bad_member,      ///< a member is missing, or of another kind than it must be
    bad_text,        ///< a text is empty, too long, or holds control characters
    bad_name,        ///< a name does not follow its rules
    twice,           ///< the same object is listed twice
};

base::Error make_error_code(Errc value) noexcept;

}  // namespace twinsite::wire::contract

TWINSITE_ERROR_ENUM(twinsite::wire::contract::Errc);
