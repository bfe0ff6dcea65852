// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/ecdsa.hpp"

#include <algorithm>
#include <cstddef>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include "base/crypto/error.hpp"
#include "base/crypto/openssl.hpp"

namespace twinsite::base::crypto {

namespace {

constexpr std::size_t kHalf = 32;
constexpr std::size_t kPointBytes = 1 + 2 * kHalf;
constexpr std::size_t kDerBytes = 80;  // of a signature; 72 at most

struct FreeEcdsa {
    void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
    void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
    void operator()(OSSL_PARAM* parameters) const { OSSL_PARAM_free(parameters); }
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};
template <class T>
using OwnedEcdsa = std::unique_ptr<T, FreeEcdsa>;

bool is_p256(const EVP_PKEY& key) {
    if (EVP_PKEY_is_a(&key, "EC") != 1) return false;
    std::array<char, 64> group{};
    std::size_t size = 0;
    return EVP_PKEY_get_group_name(&key, group.data(), group.size(), &size) == 1 &&
           std::string_view(group.data(), size) == "prime256v1";
}

/// The point as X | Y; false when the key has none.
bool read_point(const EVP_PKEY& key, EcdsaPublicKey& out) {
    std::size_t done = 0;
    for (const char* name : {OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y}) {
        BIGNUM* raw = nullptr;
        if (EVP_PKEY_get_bn_param(&key, name, &raw) != 1) return false;
        const Owned<BIGNUM> number(raw);
        if (BN_bn2binpad(number.get(), out.data() + done, static_cast<int>(kHalf)) < 0)
            return false;
        done += kHalf;
    }
    return true;
}

Owned<EVP_PKEY> make_public(const EcdsaPublicKey& key) {
    std::array<unsigned char, kPointBytes> point{};
    point[0] = 4;  // uncompressed
    std::copy(key.begin(), key.end(), point.begin() + 1);
    const OwnedEcdsa<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
    if (!builder ||
        OSSL_PARAM_BLD_push_utf8_string(
            builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0
        ) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(
            builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()
        ) != 1)
        return nullptr;
    const OwnedEcdsa<OSSL_PARAM> parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    const OwnedEcdsa<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
    EVP_PKEY* raw = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &raw, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
        return nullptr;
    return Owned<EVP_PKEY>(raw);
}

}  // namespace

struct EcdsaKey::Native {
    Owned<EVP_PKEY> key;
    EcdsaPublicKey point{};
    /// Ready to sign; copied for each signature, since to prepare one costs as much as to sign.
    Owned<EVP_MD_CTX> prepared;

    static std::unique_ptr<Native> make(Owned<EVP_PKEY> key) {
        auto out = std::make_unique<Native>();
        out->prepared.reset(EVP_MD_CTX_new());
        const bool good =
            read_point(*key, out->point) && out->prepared &&
            EVP_DigestSignInit(out->prepared.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1;
        out->key = std::move(key);
        if (!good) out.reset();
        return out;
    }
};

EcdsaKey::EcdsaKey(std::unique_ptr<Native> native) : native_(std::move(native)) {}
EcdsaKey::EcdsaKey(EcdsaKey&&) noexcept = default;
EcdsaKey& EcdsaKey::operator=(EcdsaKey&&) noexcept = default;
EcdsaKey::~EcdsaKey() = default;

Result<EcdsaKey> EcdsaKey::generate() {
    Owned<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    auto native = key ? Native::make(std::move(key)) : nullptr;
    if (!native) return give_up(Errc::failed);
    return EcdsaKey(std::move(native));
}

Result<EcdsaKey> EcdsaKey::from_pem(std::string_view pem) {
    auto key = read_key(pem);
    if (!key) return Errc::malformed;
    if (!is_p256(*key)) return give_up(Errc::key_mismatch);
    auto native = Native::make(std::move(key));
    if (!native) return give_up(Errc::malformed);
    return EcdsaKey(std::move(native));
}

Result<std::string> EcdsaKey::to_pem() const {
    const Owned<BIO> out(BIO_new(BIO_s_mem()));
    if (!out || PEM_write_bio_PrivateKey(
                    out.get(), native_->key.get(), nullptr, nullptr, 0, nullptr, nullptr
                ) != 1)
        return give_up(Errc::failed);
    char* text = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
}

const EcdsaPublicKey& EcdsaKey::public_key() const {
    return native_->point;
}

Result<EcdsaSignature> EcdsaKey::sign(std::span<const std::uint8_t> bytes) const {
    const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
    std::array<unsigned char, kDerBytes> der{};
    std::size_t size = der.size();
    if (!context || EVP_MD_CTX_copy_ex(context.get(), native_->prepared.get()) != 1 ||
        EVP_DigestSign(context.get(), der.data(), &size, bytes.data(), bytes.size()) != 1)
        return give_up(Errc::failed);
    const unsigned char* at = der.data();
    const OwnedEcdsa<ECDSA_SIG> parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
    EcdsaSignature out{};
    const int half = static_cast<int>(kHalf);
    if (!parts || BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out.data(), half) < 0 ||
        BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out.data() + kHalf, half) < 0)
        return give_up(Errc::failed);
    return out;
}

bool verify_ecdsa(
    std::span<const std::uint8_t> bytes, const EcdsaSignature& signature, const EcdsaPublicKey& key
) {
    const auto point = make_public(key);
    const OwnedEcdsa<ECDSA_SIG> parts(ECDSA_SIG_new());
    const int half = static_cast<int>(kHalf);
    BIGNUM* r = BN_bin2bn(signature.data(), half, nullptr);
    BIGNUM* s = BN_bin2bn(signature.data() + kHalf, half, nullptr);
    if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r, s) != 1) {
        BN_free(r);
        BN_free(s);
        give_up(Errc::failed);
        return false;
    }
    std::array<unsigned char, kDerBytes> der{};
    unsigned char* end = der.data();
    const int size = i2d_ECDSA_SIG(parts.get(), &end);
    const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
    const bool good =
        point && context && size > 0 &&
        EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, point.get()) == 1 &&
        EVP_DigestVerify(
            context.get(), der.data(), static_cast<std::size_t>(size), bytes.data(), bytes.size()
        ) == 1;
    give_up(Errc::bad_signature);
    return good;
}

}  // namespace twinsite::base::crypto
