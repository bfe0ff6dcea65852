// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::switchover::store {

enum class Errc {
    not_leader = 1,  ///< The fence is not that of the present leader: nothing was written.
    conflict,        ///< A comparison failed: nothing was written.
    in_use,          ///< Another process has the store open.
    full,            ///< No space left: nothing was written.
    damaged,         ///< The file is not a store, or a part of it cannot be read.
    newer_schema,    ///< Written by a later version of the program.
    unavailable,     ///< Any other failure of reading or writing: nothing was written.
    invalid,         ///< A key, value or text beyond its bounds.
};

const boost::system::error_category& category() noexcept;
inline base::Error make_error_code(Errc value) {
    return {static_cast<int>(value), category()};
}

}  // namespace twinsite::switchover::store

TWINSITE_ERROR_ENUM(twinsite::switchover::store::Errc);
