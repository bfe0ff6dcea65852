// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/digest.hpp"

#include <array>
#include <cstdint>

#include <openssl/evp.h>

#include "base/error/check.hpp"
#include "base/text/text.hpp"

namespace twinsite::base::crypto {

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, 32> out{};
    unsigned size = 0;
    const int done =
        EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr);
    BASE_CHECK(done == 1 && size == out.size());
    return {out.begin(), out.end()};
}

std::string sha256_hex(std::string_view bytes) {
    const auto digest = sha256(bytes);
    return text::to_hex(reinterpret_cast<const std::uint8_t*>(digest.data()), digest.size());
}

}  // namespace twinsite::base::crypto
