// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/secret.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/crypto/base64.hpp"
#include "base/crypto/digest.hpp"

namespace twinsite::base::crypto {
namespace {

TEST(SecretTest, TokensAreUrlSafeAndNeverTheSame) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const auto token = random_token();
        EXPECT_EQ(token.size(), 43u);
        EXPECT_EQ(token.find_first_of("+/= "), std::string::npos);
        EXPECT_TRUE(seen.insert(token).second);
    }
    EXPECT_EQ(random_token(16).size(), 22u);
}

TEST(SecretTest, APasswordIsKnownByItsHash) {
    const auto hash = hash_password("correct horse").value();
    EXPECT_TRUE(hash.starts_with("scrypt$15$8$1$"));
    EXPECT_TRUE(check_password("correct horse", hash));
    EXPECT_FALSE(check_password("correct horsf", hash));
    EXPECT_FALSE(check_password("", hash));
    EXPECT_NE(hash, hash_password("correct horse").value()) << "each has a salt of its own";
    EXPECT_FALSE(check_no_password("correct horse"));
}

TEST(SecretTest, TheHashIsScrypt) {
    // Made with Python: hashlib.scrypt(b"pleaseletmein", salt=b"0123456789abcdef", n=1024, r=8,
    // p=1, dklen=32)
    EXPECT_TRUE(check_password(
        "pleaseletmein",
        "scrypt$10$8$1$MDEyMzQ1Njc4OWFiY2RlZg==$o3zBilPc86r0aNumivxDqGJbs1CVkVYyLfGzVSIFS0U="
    ));
}

TEST(SecretTest, AHashThatIsNoneOfOursFitsNothing) {
    const auto good = hash_password("x").value();
    const auto salt = to_base64(std::string(16, 's'));
    const auto body = to_base64(std::string(32, 'h'));
    for (const auto& bad :
         {std::string(),
          std::string("x"),
          "scrypt$15$8$1$" + salt,
          "bcrypt$15$8$1$" + salt + "$" + body,
          "scrypt$63$8$1$" + salt + "$" + body,
          "scrypt$20$32$1$" + salt + "$" + body,
          "scrypt$15$8$99$" + salt + "$" + body,
          "scrypt$15$8$1$AAAA$" + body,
          "scrypt$15$8$1$" + salt + "$",
          good + "$"}) {
        EXPECT_FALSE(check_password("x", bad)) << bad;
    }
}

TEST(SecretTest, ComparesWhole) {
    EXPECT_TRUE(same_secret("abc", "abc"));
    EXPECT_FALSE(same_secret("abc", "abd"));
    EXPECT_FALSE(same_secret("abc", "ab"));
    EXPECT_TRUE(same_secret("", ""));
}

TEST(DigestTest, IsThatOfFips180) {
    EXPECT_EQ(
        sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Base64Test, IsThatOfRfc4648) {
    const std::pair<const char*, const char*> vectors[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
    EXPECT_EQ(to_base64url("\xFB\xFF\xFE"), "-__-");
    EXPECT_EQ(to_base64("\xFB\xFF\xFE"), "+//+");
}

TEST(Base64Test, TakesNothingElse) {
    for (const char* bad :
         {"Z",
          "Zg",
          "Zg=",
          "Zg===",
          "Zh==",
          "Zm9=",
          "Z=g=",
          "Zm 9",
          "Zm9v\n",
          "====",
          "-__-",
          "Zm9vZ==="})
        EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace twinsite::base::crypto
