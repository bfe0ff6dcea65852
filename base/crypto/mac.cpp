// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/mac.hpp"

#include <string>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/error/check.hpp"

namespace twinsite::base::crypto {

namespace {

const char* digest_name(MacAlgorithm algorithm) {
    switch (algorithm) {
        case MacAlgorithm::hmac_sha1:
            return "SHA1";
        case MacAlgorithm::hmac_sha256:
            return "SHA256";
        case MacAlgorithm::hmac_sha384:
            return "SHA384";
        case MacAlgorithm::hmac_sha512:
            break;
    }
    return "SHA512";
}

}  // namespace

std::size_t mac_bytes(MacAlgorithm algorithm) {
    switch (algorithm) {
        case MacAlgorithm::hmac_sha1:
            return 20;
        case MacAlgorithm::hmac_sha256:
            return 32;
        case MacAlgorithm::hmac_sha384:
            return 48;
        case MacAlgorithm::hmac_sha512:
            break;
    }
    return 64;
}

std::vector<std::uint8_t> make_mac(
    MacAlgorithm algorithm,
    std::string_view secret,
    std::initializer_list<std::span<const std::uint8_t>> parts
) {
    EVP_MAC* const mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    EVP_MAC_CTX* const context = EVP_MAC_CTX_new(mac);
    std::string digest = digest_name(algorithm);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()
    };
    // OpenSSL takes a null key for "the key of before".
    static constexpr unsigned char kEmpty = 0;
    const auto* const key =
        secret.empty() ? &kEmpty : reinterpret_cast<const unsigned char*>(secret.data());
    bool good = context != nullptr && EVP_MAC_init(context, key, secret.size(), parameters) == 1;
    for (const auto part : parts)
        good = good && EVP_MAC_update(context, part.data(), part.size()) == 1;
    std::vector<std::uint8_t> out(mac_bytes(algorithm));
    std::size_t size = 0;
    good = good && EVP_MAC_final(context, out.data(), &size, out.size()) == 1;
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    BASE_CHECK(good && size == out.size());
    return out;
}

}  // namespace twinsite::base::crypto
