// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

/// ECDSA over P-256 with SHA-256 (FIPS 186-4), in the raw forms of RFC 6605: no ASN.1.
namespace twinsite::base::crypto {

/// A point as X | Y, 32 bytes each.
using EcdsaPublicKey = std::array<std::uint8_t, 64>;
/// r | s, 32 bytes each.
using EcdsaSignature = std::array<std::uint8_t, 64>;

/// A private key. Signing changes nothing that can be seen: several threads may sign with one key.
class EcdsaKey {
public:
    /// Errors: failed.
    static Result<EcdsaKey> generate();
    /// PEM, PKCS #8 or SEC 1, without pass phrase. Errors: malformed, key_mismatch (another kind).
    static Result<EcdsaKey> from_pem(std::string_view pem);
    EcdsaKey(EcdsaKey&&) noexcept;
    EcdsaKey& operator=(EcdsaKey&&) noexcept;
    ~EcdsaKey();

    /// PKCS #8. Errors: failed.
    Result<std::string> to_pem() const;
    const EcdsaPublicKey& public_key() const;
    /// Another signature at each call. Errors: failed.
    Result<EcdsaSignature> sign(std::span<const std::uint8_t> bytes) const;

private:
    struct Native;
    explicit EcdsaKey(std::unique_ptr<Native> native);
    std::unique_ptr<Native> native_;
};

/// Whether `signature` is that of `bytes` by the owner of `key`; false also when `key` is no point
/// of the curve.
bool verify_ecdsa(
    std::span<const std::uint8_t> bytes, const EcdsaSignature& signature, const EcdsaPublicKey& key
);

}  // namespace twinsite::base::crypto
