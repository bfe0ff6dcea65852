// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/category.hpp"
#include "base/error/result.hpp"

namespace twinsite::base::crypto {

enum class Errc {
    malformed = 1,     ///< Not the PEM, base64 or hash text that was expected.
    key_mismatch,      ///< The key is not the certificate's, or is of another kind.
    not_trusted,       ///< Not issued by the authority, or the revocation list is not its own.
    expired,           ///< Or not valid yet; also of the revocation list.
    revoked,           ///<
    wrong_use,         ///< A TLS certificate for signing, or the other way round.
    bad_signature,     ///<
    bad_name,          ///< A URI or DNS name that no certificate of ours can carry.
    beyond_authority,  ///< Would be valid for longer than its authority.
    failed,            ///< OpenSSL gave up, usually for want of memory.
};

const boost::system::error_category& category() noexcept;
inline Error make_error_code(Errc value) {
    return {static_cast<int>(value), category()};
}

}  // namespace twinsite::base::crypto

TWINSITE_ERROR_ENUM(twinsite::base::crypto::Errc);
