// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/secret.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/crypto/base64.hpp"
#include "base/crypto/error.hpp"
#include "base/error/check.hpp"
#include "base/text/text.hpp"

namespace twinsite::base::crypto {

namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
constexpr std::uint64_t kLargestMemory = std::uint64_t{256} << 20;

/// Cost of scrypt: N = 2^log_n; it takes 128 * N * r bytes, p times one after the other.
struct Cost {
    unsigned log_n = 15;
    unsigned r = 8;
    unsigned p = 1;

    std::uint64_t memory() const { return std::uint64_t{128} * r << log_n; }
    bool sane() const {
        return log_n >= 10 && log_n <= 20 && r >= 1 && r <= 32 && p >= 1 && p <= 16 &&
               memory() <= kLargestMemory;
    }
};

std::string random_bytes(std::size_t size) {
    std::string out(size, '\0');
    const int made =
        RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
    BASE_CHECK(made == 1);
    return out;
}

/// "" when the library gives up.
std::string scrypt(std::string_view password, std::string_view salt, Cost cost) {
    std::string out(kHashBytes, '\0');
    const int made = EVP_PBE_scrypt(
        password.data(),
        password.size(),
        reinterpret_cast<const unsigned char*>(salt.data()),
        salt.size(),
        std::uint64_t{1} << cost.log_n,
        cost.r,
        cost.p,
        cost.memory() + (std::uint64_t{1} << 20),
        reinterpret_cast<unsigned char*>(out.data()),
        out.size()
    );
    if (made == 1) return out;
    ERR_clear_error();
    return {};
}

struct Stored {
    Cost cost;
    std::string salt;
    std::string hash;
};

/// "scrypt$15$8$1$SALT$HASH"
std::optional<Stored> parse(std::string_view text) {
    const auto parts = text::split(text, '$');
    if (parts.size() != 6 || parts[0] != "scrypt") return std::nullopt;
    const auto log_n = text::parse_number<unsigned>(parts[1]);
    const auto r = text::parse_number<unsigned>(parts[2]);
    const auto p = text::parse_number<unsigned>(parts[3]);
    auto salt = from_base64(parts[4]);
    auto hash = from_base64(parts[5]);
    if (!log_n || !r || !p || !salt || !hash) return std::nullopt;
    Stored out{{*log_n, *r, *p}, std::move(*salt), std::move(*hash)};
    if (!out.cost.sane() || out.salt.size() != kSaltBytes || out.hash.size() != kHashBytes)
        return std::nullopt;
    return out;
}

}  // namespace

std::string random_token(std::size_t bytes) {
    return to_base64url(random_bytes(bytes));
}

bool same_secret(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::string> hash_password(std::string_view password) {
    const Cost cost;
    const auto salt = random_bytes(kSaltBytes);
    const auto hash = scrypt(password, salt, cost);
    if (hash.empty()) return Errc::failed;
    return "scrypt$" + std::to_string(cost.log_n) + "$" + std::to_string(cost.r) + "$" +
           std::to_string(cost.p) + "$" + to_base64(salt) + "$" + to_base64(hash);
}

bool check_password(std::string_view password, std::string_view hash) {
    const auto stored = parse(hash);
    if (!stored) return false;
    return same_secret(scrypt(password, stored->salt, stored->cost), stored->hash);
}

bool check_no_password(std::string_view password) {
    const std::string salt(kSaltBytes, 's');
    return scrypt(password, salt, Cost()).empty() && false;
}

}  // namespace twinsite::base::crypto
