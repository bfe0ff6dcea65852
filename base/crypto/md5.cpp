// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/md5.hpp"

#include <limits>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace twinsite::base::crypto {

std::optional<Md5> md5(std::span<const std::uint8_t> bytes) {
    Md5 out{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_md5(), nullptr) == 1)
        return out;
    ERR_clear_error();
    return std::nullopt;
}

std::optional<Md5> hmac_md5(
    std::span<const std::uint8_t> key, std::span<const std::uint8_t> bytes
) {
    Md5 out{};
    unsigned size = 0;
    // Without a key OpenSSL would go on with the last one.
    if (key.empty() || key.size() > std::numeric_limits<int>::max()) return std::nullopt;
    const auto* done = HMAC(
        EVP_md5(),
        key.data(),
        static_cast<int>(key.size()),
        bytes.data(),
        bytes.size(),
        out.data(),
        &size
    );
    if (done != nullptr && size == out.size()) return out;
    ERR_clear_error();
    return std::nullopt;
}

}  // namespace twinsite::base::crypto
