// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/crypto/signature.hpp"
#include "base/crypto/trust.hpp"
#include "base/error/result.hpp"
#include "gslb/group/error.hpp"
#include "wire/group/message.hpp"

/// Signatures of bundles: Ed25519 keys certified by the authority for signing.
namespace twinsite::gslb::group {

class Seal {
public:
    /// Private key and its certificate, PEM files. Errors: those of base/crypto, or the system's.
    static base::Result<Seal> open(const std::string& key, const std::string& certificate);

    /// Fills in certificate and signature.
    base::Result<void> sign(wire::group::IntentHeader& header) const;

private:
    Seal(base::crypto::Signer signer, std::string certificate);
    base::crypto::Signer signer_;
    std::string certificate_;
};

/// Whether a gslb or an operator of our authority signed the header. Errors: not_signed, or what
/// base/crypto has against the certificate.
base::Result<void> verify_seal(
    const wire::group::IntentHeader& header,
    const base::crypto::Trust& trust,
    base::crypto::WallTime now
);

}  // namespace twinsite::gslb::group
