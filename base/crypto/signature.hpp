// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

/// Ed25519 signatures (RFC 8032): 64 bytes, the same for the same key and bytes.
namespace twinsite::base::crypto {

class Signer {
public:
    /// A private key and its certificate, PEM. Errors: malformed, key_mismatch.
    static Result<Signer> from_pem(std::string_view key, std::string_view certificate);
    Signer(Signer&&) noexcept;
    Signer& operator=(Signer&&) noexcept;
    ~Signer();

    /// 64 raw bytes.
    Result<std::string> sign(std::string_view bytes) const;

private:
    struct Native;
    explicit Signer(std::unique_ptr<Native> native);
    std::unique_ptr<Native> native_;
};

/// Whether `signature` (raw) is that of `bytes` by the key of `certificate` (PEM). Says nothing
/// about the certificate: ask Trust first. Errors: malformed, key_mismatch, bad_signature.
Result<void> verify_signature(
    std::string_view bytes, std::string_view signature, std::string_view certificate
);

}  // namespace twinsite::base::crypto
