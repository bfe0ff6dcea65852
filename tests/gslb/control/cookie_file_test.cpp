// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/cookie_file.hpp"

#include <gtest/gtest.h>

namespace twinsite::gslb::control {
namespace {

const std::string kOne = "000102030405060708090a0b0c0d0e0f";
const std::string kTwo = "f0e0d0c0b0a090807060504030201000";

TEST(CookieFile, OneOrTwoSecretsComeBack) {
    for (const auto& text : {kOne + "\n", kOne + "\n" + kTwo + "\n"}) {
        const auto secrets = decode_cookie_secrets(text);
        ASSERT_TRUE(secrets) << text;
        EXPECT_EQ(encode_cookie_secrets(*secrets), text);
    }
    EXPECT_EQ(decode_cookie_secrets(kOne + "\n")->current[15], 15);
    EXPECT_FALSE(decode_cookie_secrets(kOne + "\n")->other);
}

TEST(CookieFile, AnythingElseIsRefused) {
    for (const auto& text :
         {std::string(),
          kOne,
          kOne + "\n\n",
          kOne + "\n" + kTwo,
          kOne + " " + kTwo + "\n",
          "x" + kOne.substr(1) + "\n",
          kOne + "\n" + kTwo + "\n" + kTwo + "\n"})
        EXPECT_FALSE(decode_cookie_secrets(text)) << text;
    EXPECT_TRUE(parse_cookie_secret("ABCDEFABCDEFABCDEFABCDEFABCDEFAB"));
    EXPECT_FALSE(parse_cookie_secret(kOne + "0"));
}

}  // namespace
}  // namespace twinsite::gslb::control
