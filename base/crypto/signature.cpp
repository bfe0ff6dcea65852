// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/signature.hpp"

#include <utility>

#include "base/crypto/error.hpp"
#include "base/crypto/openssl.hpp"

namespace twinsite::base::crypto {

namespace {

constexpr std::size_t kSignatureBytes = 64;

const unsigned char* raw(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

struct Signer::Native {
    Owned<EVP_PKEY> key;
};

Signer::Signer(std::unique_ptr<Native> native) : native_(std::move(native)) {}
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;
Signer::~Signer() = default;

Result<Signer> Signer::from_pem(std::string_view key, std::string_view certificate) {
    auto native = std::make_unique<Native>();
    native->key = read_key(key);
    const auto shown = read_certificate(certificate);
    if (!native->key || !shown) return Errc::malformed;
    if (EVP_PKEY_is_a(native->key.get(), "ED25519") != 1 ||
        X509_check_private_key(shown.get(), native->key.get()) != 1) {
        return give_up(Errc::key_mismatch);
    }
    return Signer(std::move(native));
}

Result<std::string> Signer::sign(std::string_view bytes) const {
    const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
    std::string out(kSignatureBytes, '\0');
    std::size_t size = out.size();
    // Ed25519 has its own digest inside, hence no name of one.
    const bool done =
        context &&
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, native_->key.get()) == 1 &&
        EVP_DigestSign(
            context.get(),
            reinterpret_cast<unsigned char*>(out.data()),
            &size,
            raw(bytes),
            bytes.size()
        ) == 1;
    if (!done || size != kSignatureBytes) return give_up(Errc::failed);
    return out;
}

Result<void> verify_signature(
    std::string_view bytes, std::string_view signature, std::string_view certificate
) {
    const auto shown = read_certificate(certificate);
    EVP_PKEY* key = shown ? X509_get0_pubkey(shown.get()) : nullptr;
    if (!key) return give_up(Errc::malformed);
    if (EVP_PKEY_is_a(key, "ED25519") != 1) return give_up(Errc::key_mismatch);
    const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
    if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) != 1)
        return give_up(Errc::failed);
    const int good =
        EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(bytes), bytes.size());
    if (signature.size() != kSignatureBytes || good != 1) return give_up(Errc::bad_signature);
    return {};
}

}  // namespace twinsite::base::crypto
