// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/error.hpp"

namespace twinsite::base::crypto {

namespace {

const char* to_text(int value) noexcept {
    switch (static_cast<Errc>(value)) {
        case Errc::malformed:
            return "not a certificate, key or list in PEM form";
        case Errc::key_mismatch:
            return "the key does not belong to the certificate, or is of another kind";
        case Errc::not_trusted:
            return "not issued by the authority";
        case Errc::expired:
            return "the certificate has ended or is not valid yet";
        case Errc::revoked:
            return "the certificate is revoked";
        case Errc::wrong_use:
            return "the certificate is meant for another use";
        case Errc::bad_signature:
            return "the signature is wrong";
        case Errc::bad_name:
            return "a name that no certificate can carry";
        case Errc::beyond_authority:
            return "the certificate would outlive its authority";
        case Errc::failed:
            return "the cryptographic library gave up";
    }
    return "unknown cryptographic error";
}

constexpr Category kCategory("crypto", to_text);

}  // namespace

const boost::system::error_category& category() noexcept {
    return kCategory;
}

}  // namespace twinsite::base::crypto
