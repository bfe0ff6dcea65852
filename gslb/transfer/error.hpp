// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::gslb::transfer {

enum class Errc {
    malformed = 1,    ///< Not a DNS message, or not the one that was expected.
    refused,          ///< The primary answers with an error code.
    bad_signature,    ///< TSIG missing, of another key, wrong, or out of time.
    not_incremental,  ///< Differences that do not fit what is here: the whole zone is needed.
    wrong_zone,       ///< Records of another zone.
    bad_zone,         ///< Nothing that could be served.
    too_large,        ///< More bytes than a zone may have.
    cut_off,          ///< The connection ended in the middle.
    older,            ///< The primary has an older serial.
    no_primary,       ///< None of the primaries could be used.
    malformed_file,   ///< A kept zone or journal cannot be read.
};

const boost::system::error_category& category() noexcept;
inline base::Error make_error_code(Errc value) {
    return {static_cast<int>(value), category()};
}

}  // namespace twinsite::gslb::transfer

TWINSITE_ERROR_ENUM(twinsite::gslb::transfer::Errc);
