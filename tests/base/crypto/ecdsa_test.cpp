// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/ecdsa.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/error.hpp"

namespace twinsite::base::crypto {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
}

EcdsaKey make_key() {
    auto key = EcdsaKey::generate();
    EXPECT_TRUE(key.has_value());
    return *std::move(key);
}

TEST(Ecdsa, ASignatureIsGoodForItsBytesAndKeyOnly) {
    const auto key = make_key();
    const auto other = make_key();
    const auto bytes = bytes_of("what is signed");
    const auto signature = key.sign(bytes);
    ASSERT_TRUE(signature.has_value());
    EXPECT_TRUE(verify_ecdsa(bytes, *signature, key.public_key()));
    EXPECT_FALSE(verify_ecdsa(bytes_of("what is not"), *signature, key.public_key()));
    EXPECT_FALSE(verify_ecdsa(bytes, *signature, other.public_key()));
    auto changed = *signature;
    changed[40] ^= 1;
    EXPECT_FALSE(verify_ecdsa(bytes, changed, key.public_key()));
}

TEST(Ecdsa, AKeyComesBackFromItsPem) {
    const auto key = make_key();
    const auto pem = key.to_pem();
    ASSERT_TRUE(pem.has_value());
    const auto again = EcdsaKey::from_pem(*pem);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->public_key(), key.public_key());
    const auto bytes = bytes_of("both sites have it");
    EXPECT_TRUE(verify_ecdsa(bytes, *again->sign(bytes), key.public_key()));
}

TEST(Ecdsa, AnotherKindOfKeyIsRefused) {
    EXPECT_EQ(EcdsaKey::from_pem("no key").error(), make_error_code(Errc::malformed));
    const std::string ed25519 =
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
        "-----END PRIVATE KEY-----\n";
    EXPECT_EQ(EcdsaKey::from_pem(ed25519).error(), make_error_code(Errc::key_mismatch));
}

TEST(Ecdsa, AKeyOffTheCurveVerifiesNothing) {
    const auto key = make_key();
    const auto bytes = bytes_of("x");
    auto point = key.public_key();
    point[10] ^= 0x55;
    EXPECT_FALSE(verify_ecdsa(bytes, *key.sign(bytes), point));
    EXPECT_FALSE(verify_ecdsa(bytes, EcdsaSignature{}, key.public_key()));
}

}  // namespace
}  // namespace twinsite::base::crypto
